"""The report's page: a tradeoff and a path flow in as numbers, and one HTML text flows out.

`contents` gathers what the page shows as plain values, `words` and `tables` say it in HTML, and the template, the style
and the script beside them are the page itself. `quboselect.report` puts them together and writes the file.
"""
