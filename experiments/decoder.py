"""The decoder of experiment 3, for a GPU: trains on images and latents, and writes errors, images and weights.

One file that needs only torch and numpy, so that it can be carried to a machine where nothing of ours is installed:
``python experiments/decoder.py build/three/mnist.npz build/three/latents.npz --out build/three/out``. All latents of a
protocol are trained at once, as one batched model with weights of its own for each: the same batches in the same
order, from the same initial weights, so that they differ in nothing but the latents. `three.py` makes the latents and
takes in what comes out.
"""

import argparse
import csv
import hashlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

SIDE, PIXELS = 28, 784
BATCH, LEARNING_RATE = 250, 0.01
BETA2, EPS = 0.999, 1e-8
TRAINING_IMAGES = 60_000
SHOWN = 20
FIELDS = ("protocol", "kernel", "latent", "epoch", "running", "training", "held_out", "seconds")
# A run that was stopped by --seconds ends with this status.
STOPPED = 3
# Of a kernel of stride 2 that doubles the side of an image.
PADDING: dict[int, dict[str, int]] = {2: {}, 3: {"padding": 1, "output_padding": 1}, 4: {"padding": 1}}
# Images in one forward pass of an evaluation.
CHUNK = 1_000


class Decoder(nn.Module):
    """The paper's decoder: k -> 392, as 8 x 7 x 7, to 16 x 14 x 14, to 1 x 28 x 28, a sigmoid at the end.

    It is here for its initial weights and for the tests; `Batched` is what trains.

    Parameters
    ----------
    k : int
        Numbers per image.
    kernel : int
        Side of the transposed convolutions' kernels, of stride 2: 2 without padding, 4 with a padding of 1, or 3 with
        a padding of 1 and an output padding of 1. The paper does not say which.
    """

    def __init__(self, k: int, kernel: int) -> None:
        super().__init__()
        self.linear = nn.Linear(k, 392)
        self.first = nn.ConvTranspose2d(8, 16, kernel, stride=2, **PADDING[kernel])
        self.second = nn.ConvTranspose2d(16, 1, kernel, stride=2, **PADDING[kernel])

    def forward(self, latent: Tensor) -> Tensor:
        """Return images of shape (b, 784) from latents of shape (b, k)."""
        x = functional.relu(self.linear(latent)).view(-1, 8, 7, 7)
        x = functional.relu(self.first(x))
        return torch.sigmoid(self.second(x)).flatten(1)


def transposed(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Return the transposed convolutions of stride 2 of several models at once.

    Grouped convolutions, which are quick on a CPU and slow on a GPU; there they are written as products.

    Parameters
    ----------
    x : tensor of shape (m, b, h, w, c)
    weight : tensor of shape (m, c, d, s, s), s from 2 to 4
    bias : tensor of shape (m, d)
    """
    if x.device.type != "cpu":
        return as_products(x, weight) + bias[:, None, None, None]
    m, b, h, w, c = x.shape
    channels = x.permute(1, 0, 4, 2, 3).reshape(b, m * c, h, w)
    padding = PADDING[weight.shape[-1]]
    y = functional.conv_transpose2d(
        channels, weight.flatten(0, 1), bias.flatten(), stride=2, groups=m, **padding
    )
    return y.unflatten(1, (m, -1)).permute(1, 0, 3, 4, 2)


def as_products(x: Tensor, weight: Tensor) -> Tensor:
    """Return transposed convolutions of stride 2 as one product of matrices for each model.

    Each 2 x 2 block of the output depends on the 2 x 2 inputs around it; with a kernel of 2, on one.
    """
    m, b, h, w, c = x.shape
    d, side = weight.shape[2], weight.shape[-1]
    if side == 2:
        matrix = weight.permute(0, 1, 3, 4, 2).reshape(m, c, 4 * d)
        blocks = x.reshape(m, b * h * w, c) @ matrix
        return blocks.view(m, b, h, w, 2, 2, d).transpose(3, 4).reshape(m, b, 2 * h, 2 * w, d)
    # A kernel of 3 is one of 4 whose last row and column are zero.
    four = functional.pad(weight, (0, 4 - side, 0, 4 - side)).view(m, c, d, 2, 2, 2, 2).flip(3, 5)
    matrix = four.permute(0, 1, 3, 5, 4, 6, 2).reshape(m, 4 * c, 4 * d)
    around = functional.pad(x, (0, 0, 1, 1, 1, 1)).unfold(2, 2, 1).unfold(3, 2, 1)
    blocks = around.reshape(m, b * (h + 1) * (w + 1), 4 * c) @ matrix
    y = blocks.view(m, b, h + 1, w + 1, 2, 2, d).transpose(3, 4)
    return y.reshape(m, b, 2 * h + 2, 2 * w + 2, d)[:, :, 1:-1, 1:-1]


class Batched:
    """The same decoder m times, all weights one after the other in one flat tensor: layer by layer, model by model.

    Parameters
    ----------
    models : list of Decoder
        The initial weights.
    device : torch.device
    """

    def __init__(self, models: list[Decoder], device: torch.device) -> None:
        layers = [torch.stack(each).detach() for each in zip(*(m.parameters() for m in models), strict=True)]
        self.flat = torch.cat([layer.flatten() for layer in layers]).to(device)
        self.parts: list[Tensor] = []
        start = 0
        for layer in layers:
            stop = start + layer.numel()
            # Leaves of their own, whose values are windows of the flat tensor.
            self.parts.append(nn.Parameter(self.flat[start:stop].view(layer.shape)))
            start = stop

    def gradient(self, loss: Tensor) -> Tensor:
        """Return the derivatives of a loss, in the order of the flat tensor."""
        return torch.cat([part.flatten() for part in torch.autograd.grad(loss, self.parts)])

    def __call__(self, latent: Tensor) -> Tensor:
        """Return images of shape (m, b, 784) from latents of shape (m, b, k)."""
        weight, bias, first, first_bias, second, second_bias = self.parts
        x = functional.relu(torch.baddbmm(bias[:, None], latent, weight.transpose(1, 2)))
        x = x.unflatten(2, (8, 7, 7)).permute(0, 1, 3, 4, 2)
        x = functional.relu(transposed(x, first, first_bias))
        return torch.sigmoid(transposed(x, second, second_bias)).flatten(2)


def one_cycle(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the learning rate and beta1 of every step, as ``OneCycleLR`` of torch has them by default."""
    first = 0.3 * steps - 1.0
    place = np.arange(steps, dtype=np.float64)
    rising = place <= first
    share = np.where(rising, place / max(first, 1e-12), (place - first) / max(steps - 1.0 - first, 1e-12))
    fall = (1.0 + np.cos(np.pi * share)) / 2.0

    def between(start: float, top: float, end: float) -> np.ndarray:
        return np.where(rising, top + (start - top) * fall, end + (top - end) * fall)

    low = LEARNING_RATE / 25.0
    return between(low, LEARNING_RATE, low / 1e4), between(0.95, 0.85, 0.95)


class Errors(NamedTuple):
    """Squared errors per image, summed over pixels, of each latent."""

    training: np.ndarray
    held_out: np.ndarray | None


@dataclass(frozen=True)
class Settings:
    """What a group of latents is trained by; images from ``training`` on are held out.

    The names of the latents and a hash of their arrays are of it, since weights are of no use to other latents;
    ``only`` says that the files' names name them.
    """

    protocol: str
    kernel: int
    epochs: int
    training: int
    seed: int
    precision: str
    latents: tuple[str, ...] = ()
    sha256: str = ""
    only: bool = False

    @property
    def name(self) -> str:
        """What its files are called."""
        group = f"{self.protocol}_{self.kernel}x{self.kernel}"
        return "_".join([group, *self.latents]) if self.only else group


class Trainer:
    """All latents of a protocol, being trained.

    Every number that changes from step to step lives on the device, so that a step can be recorded once as a CUDA
    graph and replayed.

    Parameters
    ----------
    images : uint8 tensor of shape (n, 784)
    latents : tensor of shape (m, n, k)
    settings : Settings
    """

    def __init__(self, images: Tensor, latents: Tensor, settings: Settings) -> None:
        self.images, self.latents, self.settings = images, latents, settings
        device = images.device
        models = []
        for _ in latents:
            torch.manual_seed(settings.seed)
            models.append(Decoder(latents.shape[2], settings.kernel))
        self.model = Batched(models, device)
        self.batch = min(BATCH, settings.training)
        self.steps = settings.training // self.batch
        rate, beta1 = one_cycle(max(2, self.steps * settings.epochs))
        t = np.arange(1, rate.size + 1)
        table = np.stack([rate / (1.0 - beta1**t), 1.0 - beta1, 1.0 / (1.0 - BETA2**t)], axis=1)
        self.table = torch.tensor(table, dtype=torch.float32, device=device)
        self.first, self.second = torch.zeros_like(self.model.flat), torch.zeros_like(self.model.flat)
        self.count = torch.zeros(1, dtype=torch.int64, device=device)
        self.running = torch.zeros(len(latents), dtype=torch.float32, device=device)
        self.order = torch.arange(settings.training, device=device)
        self.places = torch.arange(self.batch, device=device)
        self.epoch, self.seconds = 0, 0.0
        self._replay: Callable[[], object] = self.step

    def step(self) -> None:
        """Take one step of Adam. Nothing in it waits for the device, or it could not be recorded."""
        places = (self.count % self.steps) * self.batch + self.places
        rows = self.order.index_select(0, places)
        target = self.images.index_select(0, rows).to(torch.float32) / 255.0
        half = self.settings.precision == "bfloat16"
        with torch.autocast(self.images.device.type, torch.bfloat16, enabled=half, cache_enabled=False):
            guess = self.model(self.latents.index_select(1, rows))
        loss = (guess.float() - target).square().mean(dim=(1, 2))
        grad = self.model.gradient(loss.sum())
        with torch.no_grad():
            rate, weight, unbias = self.table.index_select(0, self.count).squeeze(0).unbind()
            self.first.lerp_(grad, weight)
            self.second.mul_(BETA2).addcmul_(grad, grad, value=1.0 - BETA2)
            self.model.flat.sub_(rate * self.first / ((self.second * unbias).sqrt_() + EPS))
            self.running += loss
            self.count += 1

    def record(self) -> None:
        """Record a step as a CUDA graph; weights and counters are as before."""
        before = [part.clone() for part in self.state()]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.step()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step()
        self._replay = graph.replay
        self.restore(before)

    def state(self) -> list[Tensor]:
        """Return what a step changes."""
        return [self.model.flat, self.first, self.second, self.count, self.running]

    def restore(self, state: list[Tensor]) -> None:
        """Set what a step changes, in place."""
        for part, value in zip(self.state(), state, strict=True):
            part.copy_(value)

    def milliseconds(self, steps: int) -> float:
        """Return how long a step takes; weights and counters are as before."""
        before = [part.clone() for part in self.state()]
        for _ in range(min(steps, 20)):
            self._replay()
        self.count.zero_()
        synchronise(self.images.device)
        start = time.perf_counter()
        for _ in range(steps):
            self._replay()
        synchronise(self.images.device)
        took = time.perf_counter() - start
        self.restore(before)
        return 1000.0 * took / steps

    def train_epoch(self) -> np.ndarray:
        """Train one epoch and return the mean error per image during it."""
        device = self.images.device
        # A seed for each epoch: a run that is resumed sees the batches it would have seen.
        random = torch.Generator(device).manual_seed(1_000_003 * self.settings.seed + self.epoch)
        self.order.copy_(torch.randperm(self.settings.training, generator=random, device=device))
        self.running.zero_()
        start = time.perf_counter()
        for _ in range(self.steps):
            self._replay()
        running = self.running.double().cpu().numpy() * PIXELS / self.steps
        self.seconds += time.perf_counter() - start
        self.epoch += 1
        return running

    @torch.no_grad()
    def reconstructed(self, rows: Tensor) -> Tensor:
        """Return the images of some rows, of shape (m, b, 784)."""
        return self.model(self.latents[:, rows])

    @torch.no_grad()
    def errors(self) -> Errors:
        """Return the errors now, of the images trained on and of those held out."""
        n, training = len(self.images), self.settings.training
        sums = []
        for start, stop in ((0, training), (training, n)):
            total = torch.zeros(len(self.latents), dtype=torch.float64, device=self.images.device)
            for begin in range(start, stop, CHUNK):
                rows = torch.arange(begin, min(begin + CHUNK, stop), device=self.images.device)
                target = self.images[rows].to(torch.float32) / 255.0
                total += (self.reconstructed(rows) - target).square().sum(dim=2).double().sum(dim=1)
            sums.append(total.cpu().numpy() / max(stop - start, 1))
        return Errors(sums[0], sums[1] if training < n else None)

    def save(self, path: Path) -> None:
        """Write a checkpoint; one that is there is replaced only when this one is whole."""
        content = {
            "settings": vars(self.settings),
            "state": [part.cpu() for part in self.state()],
            "epoch": self.epoch,
            "seconds": self.seconds,
        }
        partial = path.with_suffix(".partial")
        torch.save(content, partial)
        partial.replace(path)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint of the same settings."""
        content = torch.load(path, map_location=self.images.device, weights_only=True)
        if content["settings"] != vars(self.settings):
            raise ValueError(
                f"{path} is of {content['settings']}, but {vars(self.settings)} is asked for: move it away."
            )
        self.restore(content["state"])
        self.epoch, self.seconds = content["epoch"], content["seconds"]


def synchronise(device: torch.device) -> None:
    """Wait until the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize()


def latent_of(images: Tensor, given: np.ndarray) -> Tensor:
    """Return the latents of all images, of shape (n, k).

    Parameters
    ----------
    images : uint8 tensor of shape (n, 784)
    given : array
        k indices of pixels; or, of shape (1 + k, 784), a mean image and k directions onto which is projected.
    """
    if given.ndim == 1:
        return images[:, torch.as_tensor(given, device=images.device, dtype=torch.int64)].float() / 255.0
    mean, directions = torch.as_tensor(given[0]), torch.as_tensor(given[1:])
    mean, directions = mean.to(images.device), directions.to(images.device)
    parts = [(part.float() / 255.0 - mean) @ directions.T for part in images.split(10_000)]
    return torch.cat(parts)


def rows_before(path: Path, epoch: int) -> list[list[str]]:
    """Return the rows that a stopped run wrote up to its checkpoint."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [row for row in list(csv.reader(file))[1:] if int(row[3]) <= epoch]


def write_rows(path: Path, rows: list[list[Any]]) -> None:
    """Write all rows of a group, or leave the file as it is."""
    partial = path.with_suffix(".partial")
    with partial.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows(rows)
    partial.replace(path)


def train(
    trainer: Trainer, names: list[str], out: Path, *, every: int, since: Path, deadline: float
) -> tuple[Errors, bool]:
    """Train a group to its end or to the deadline; returns the errors, and whether it ended."""
    settings = trainer.settings
    checkpoint, table = out / f"{settings.name}.pt", out / f"{settings.name}.csv"
    rows: list[list[Any]] = []
    if trainer.epoch:
        rows = list(rows_before(since / table.name, trainer.epoch))
        print(f"{settings.name}: goes on after epoch {trainer.epoch}", flush=True)
    errors = trainer.errors()
    while trainer.epoch < settings.epochs:
        running = trainer.train_epoch()
        late = time.monotonic() > deadline
        if trainer.epoch % every and trainer.epoch < settings.epochs and not late:
            continue
        errors = trainer.errors()
        seconds = f"{trainer.seconds:.2f}"
        for place, name in enumerate(names):
            held_out = "" if errors.held_out is None else f"{errors.held_out[place]:.6f}"
            values = (f"{running[place]:.6f}", f"{errors.training[place]:.6f}", held_out)
            rows.append([settings.protocol, settings.kernel, name, trainer.epoch, *values, seconds])
        write_rows(table, rows)
        trainer.save(checkpoint)
        best = errors.training if errors.held_out is None else errors.held_out
        said = ", ".join(f"{name} {error:.3f}" for name, error in zip(names, best, strict=True))
        print(f"{settings.name}: epoch {trainer.epoch}, {seconds} s: {said}", flush=True)
        if late:
            break
    write_rows(table, rows)
    trainer.save(checkpoint)
    return errors, trainer.epoch >= settings.epochs


def show(trainer: Trainer, names: list[str], out: Path) -> None:
    """Write 20 images, of those held out where there are, and what each latent makes of them."""
    n, training = len(trainer.images), trainer.settings.training
    # The last seventh under either protocol, so that the same images are seen.
    start = min(training, n - n // 7)
    rows = np.sort(np.random.default_rng(0).choice(np.arange(start, n), min(SHOWN, n - start), replace=False))
    where = torch.as_tensor(rows, device=trainer.images.device)
    images = (255.0 * trainer.reconstructed(where)).round().to(torch.uint8).cpu().numpy()
    originals = trainer.images[where].cpu().numpy()
    made = dict(zip(names, images, strict=True))
    partial = out / f"{trainer.settings.name}.partial.npz"
    np.savez_compressed(partial, rows=rows, originals=originals, **made)
    partial.replace(out / f"{trainer.settings.name}.npz")


def main(arguments: list[str] | None = None) -> int:
    """Train every protocol and kernel that is asked for; 0, or 3 where time ran out before the end."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("images", type=Path, help=".npz with X, uint8 of shape (n, 784)")
    parser.add_argument(
        "latents", type=Path, help=".npz: protocol/name -> indices of pixels, or mean and directions"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for tables, images and checkpoints")
    parser.add_argument(
        "--resume", type=Path, help="folder with checkpoints of a stopped run; by default --out"
    )
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--every", type=int, default=20, help="epochs between evaluations and checkpoints")
    parser.add_argument("--kernels", type=int, nargs="+", default=[4], choices=(2, 3, 4))
    parser.add_argument("--protocols", nargs="+", default=["all", "split"], choices=("all", "split"))
    parser.add_argument("--only", nargs="+", help="names of latents, which the files then carry")
    parser.add_argument(
        "--training", type=int, default=TRAINING_IMAGES, help="images trained on in the split"
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--precision", default="float32", choices=("float32", "tf32", "bfloat16"))
    parser.add_argument("--eager", action="store_true", help="no CUDA graph")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the initial weights and the order of the images"
    )
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop after so long, with a checkpoint"
    )
    asked = parser.parse_args(arguments)
    deadline = time.monotonic() + asked.seconds
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.precision == "tf32":
        torch.set_float32_matmul_precision("high")
    device = torch.device(asked.device)
    with np.load(asked.images, allow_pickle=False) as file:
        images = torch.as_tensor(file["X"]).to(device)
    with np.load(asked.latents, allow_pickle=False) as file:
        given = {name: file[name] for name in file.files}
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    print(f"torch {torch.__version__} on {where}, {asked.precision}, {len(images)} images", flush=True)
    there = {p: [n.partition("/")[2] for n in given if n.startswith(f"{p}/")] for p in asked.protocols}
    for protocol, names in there.items():
        if unknown := " ".join(sorted(set(asked.only or ()) - set(names))):
            parser.error(f"--only {unknown}: the latents of {protocol} are {', '.join(names)}")
    since, ended = asked.resume or asked.out, True
    groups = [(kernel, protocol) for kernel in asked.kernels for protocol in asked.protocols]
    trainers = []
    for kernel, protocol in groups:
        names = [name for name in there[protocol] if asked.only is None or name in asked.only]
        arrays = [given[f"{protocol}/{name}"] for name in names]
        sha256 = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]
        latents = torch.stack([latent_of(images, array) for array in arrays])
        training = len(images) if protocol == "all" else min(asked.training, len(images) - 1)
        settings = Settings(protocol, kernel, asked.epochs, training, asked.seed, asked.precision,
                            tuple(names), sha256, asked.only is not None)  # fmt: skip
        trainer = Trainer(images, latents, settings)
        if device.type == "cuda" and not asked.eager:
            trainer.record()
        took = trainer.milliseconds(min(200, trainer.steps * asked.epochs) if device.type == "cuda" else 2)
        minutes = took * trainer.steps * asked.epochs / 60_000
        print(f"{settings.name}: {len(names)} latents ({', '.join(names)}), {took:.3f} ms a step, "
              f"{minutes:.1f} minutes for {asked.epochs} epochs", flush=True)  # fmt: skip
        # After the timing, which has no steps to take at the end of a schedule; before hours are spent on any group.
        if (checkpoint := since / f"{settings.name}.pt").exists():
            trainer.load(checkpoint)
        trainers.append((trainer, names, took))
    for trainer, names, took in trainers:
        _, whole = train(trainer, names, asked.out, every=asked.every, since=since, deadline=deadline)
        show(trainer, names, asked.out)
        about = {
            "torch": torch.__version__,
            "device": where,
            "milliseconds": round(took, 4),
            "epoch": trainer.epoch,
        }
        about |= {"settings": vars(trainer.settings), "latents": names, "seconds": round(trainer.seconds, 2)}
        (asked.out / f"{trainer.settings.name}.json").write_text(json.dumps(about, indent=1) + "\n")
        ended = ended and whole
    if not ended:
        print(f"time ran out: run again with --resume {asked.out}", flush=True)
    return 0 if ended else STOPPED


if __name__ == "__main__":
    sys.exit(main())
