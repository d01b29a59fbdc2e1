"""Words of 64 bits: operations that LLVM has instructions for, and Numba no name."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

Instructions = tuple[Any, Callable[..., Any]]


def ones(typing_context: Any, word: Any) -> Instructions:
    """The number of ones in a 64-bit word: one LLVM instruction, which the loop vectoriser understands."""

    def instruction(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), instruction


def equal(typing_context: Any, codes: Any, start: Any, code: Any) -> Instructions:
    """Which of the 64 codes from ``start`` on are this one, a bit each: one comparison where registers are wide.

    All 64 must be there, and the codes contiguous: nothing is checked.
    """

    def instructions(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0].dtype
        vector = ir.VectorType(context.get_data_type(kind), 64)
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), vector.as_pointer())
        one = context.cast(builder, arguments[2], signature.args[2], kind)
        nothing = ir.Constant(vector, ir.Undefined)
        lanes = builder.insert_element(nothing, one, ir.Constant(ir.IntType(32), 0))
        lanes = builder.shuffle_vector(
            lanes, nothing, ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        )
        same = builder.icmp_unsigned("==", builder.load(pointer, align=1), lanes)
        return builder.bitcast(same, ir.IntType(64))

    return types.uint64(codes, types.int64, types.int64), instructions


popcount: Any = intrinsic(ones)
equal_codes: Any = intrinsic(equal)
