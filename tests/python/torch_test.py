# SPDX-License-Identifier: Apache-2.0
"""PyTorch's modules: compiled, and shared."""
import copy
import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from torch import nn

import hogwild as hw
import hogwild.torch
import torch_workers
from eventually import eventually

HERE = pathlib.Path(__file__).resolve().parent


def image_net(dropout=0.0):
    torch.manual_seed(3)
    return nn.Sequential(nn.Conv2d(2, 6, 3), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(6, 5, 2), nn.Dropout2d(dropout),
                         nn.ReLU(), nn.Flatten(), nn.Linear(5 * 4 * 5, 16), nn.ReLU(), nn.Dropout(dropout),
                         nn.Linear(16, 3), nn.LogSoftmax(dim=1))


def row_net():
    torch.manual_seed(4)
    return nn.Sequential(nn.Linear(7, 12), nn.ReLU(), nn.Linear(12, 4))


def images(n=600):
    draw = torch.Generator().manual_seed(5)
    y = torch.randint(0, 3, (n,), generator=draw)
    x = torch.randn(n, 2, 12, 14, generator=draw)
    x[torch.arange(n), 0, 2 + 3 * y] += 1.5
    return x, y


def compiled(net, loss=None, optimizer=None, **options):
    return hogwild.torch.compile(net, loss=loss or nn.NLLLoss(),
                                 optimizer=optimizer or torch.optim.SGD(net.parameters(), lr=0.05), **options)


def test_scores_are_those_of_the_module():
    net, (x, _) = image_net(0.5), images(200)
    mine = torch.log_softmax(compiled(net).scores(x), dim=1)
    assert torch.allclose(mine, net.eval()(x), atol=2e-6)
    rows, x = row_net(), torch.randn(100, 7)
    assert torch.allclose(compiled(rows, nn.CrossEntropyLoss()).scores(x), rows(x), atol=2e-6)
    flat = nn.Sequential(nn.Flatten(), nn.Linear(12, 3))
    x = torch.randn(10, 3, 4)
    assert torch.allclose(compiled(flat, nn.CrossEntropyLoss()).scores(x), flat(x), atol=2e-6)


def test_parameters_go_in_and_come_back_bit_for_bit():
    for net, loss in ((image_net(), nn.NLLLoss()), (row_net(), nn.CrossEntropyLoss())):
        before = copy.deepcopy(net.state_dict())
        mine = compiled(net, loss, **({"input_shape": (2, 12, 14)} if net[0].weight.dim() == 4 else {}))
        flat = mine._parameters()
        assert flat.size == sum(p.numel() for p in net.parameters())
        with torch.no_grad():
            for p in net.parameters():
                p.zero_()
        mine._put_back(flat)
        assert all(torch.equal(net.state_dict()[name], before[name]) for name in before)


class EngineAdagrad(torch.optim.Optimizer):
    """Adagrad as the engine has it: with 1e-8 within the root."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                squares = self.state[p].setdefault("squares", torch.zeros_like(p))
                squares += p.grad * p.grad
                p -= group["lr"] * p.grad / torch.sqrt(squares + 1e-8)


def steps_of_torch(net, loss, optimizer, x, y, batch):
    for at in range(0, len(x), batch):
        optimizer.zero_grad()
        loss(net(x[at:at + batch]), y[at:at + batch]).backward()
        optimizer.step()


@pytest.mark.parametrize("make", [lambda p, _: torch.optim.SGD(p, lr=0.05),
                                  lambda p, _: torch.optim.SGD(p, lr=0.02, momentum=0.8),
                                  lambda p, ours: (torch.optim.Adagrad if ours else EngineAdagrad)(p, lr=0.02),
                                  lambda p, _: torch.optim.Adam(p, lr=0.003)],
                         ids=["sgd", "momentum", "adagrad", "adam"])
@pytest.mark.parametrize("net", [image_net, row_net])
def test_an_epoch_is_the_same_as_the_modules_own(make, net):
    mine, theirs = net(), net()
    x, y = images(320)
    if net is row_net:
        x, y = torch.randn(320, 7, generator=torch.Generator().manual_seed(6)), y % 4
    loss = nn.NLLLoss() if net is image_net else nn.CrossEntropyLoss()
    before = [p.detach().clone() for p in mine.parameters()]
    compiled(mine, loss, make(mine.parameters(), True)).fit(x, y, epochs=1, batch_size=32, shuffle=False,
                                                            order="sequential")
    steps_of_torch(theirs, loss, make(theirs.parameters(), False), x, y, 32)
    for was, a, b in zip(before, mine.parameters(), theirs.parameters()):
        assert not torch.equal(was, a) and torch.allclose(a, b, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize("workers", [1, 2])
def test_it_learns(workers):
    net, (x, y) = image_net(0.1), images(2000)
    told = []
    mine = compiled(net, optimizer=torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9))
    assert mine.fit(x[:1500], y[:1500], epochs=8, workers=workers, batch_size=16, callback=told.append) is mine
    assert len(told) == 8 and mine.run_["status"] == "done"
    right = (net.eval()(x[1500:]).argmax(1) == y[1500:]).float().mean()
    assert right > 0.85 and torch.equal(mine.predict(x), net(x).argmax(1))


def test_rows_may_lack_a_class_and_bad_labels_are_refused():
    net = row_net()
    x, mine = np.random.default_rng(0).normal(size=(200, 7)), compiled(net, nn.CrossEntropyLoss())
    y = np.where(x[:, 0] > 0, 3, 1)
    mine.fit(x, y, epochs=40)
    assert set(mine.predict(x).tolist()) == {1, 3} and np.mean(mine.predict(x).numpy() == y) > 0.9
    for wrong in (y + 1, y - 2, y + 0.5, y[:10]):
        with pytest.raises(ValueError, match="y "):
            mine.fit(x, wrong)
    with pytest.raises(ValueError, match="7 values"):
        mine.fit(x[:, :5], y)
    with pytest.raises(ValueError, match="shape"):
        compiled(image_net(), input_shape=(2, 9, 9))
    with pytest.raises(hw.ConfigError):
        mine.fit(x, y, batch_size=1000)


def test_a_run_that_diverges_leaves_the_module():
    net, (x, y) = image_net(), images(300)
    before = copy.deepcopy(net.state_dict())
    with pytest.raises(RuntimeError, match="not finite"):
        compiled(net, optimizer=torch.optim.SGD(net.parameters(), lr=1e30)).fit(x, y, epochs=3)
    assert all(torch.equal(net.state_dict()[name], before[name]) for name in before)


def linear(**options):
    return nn.Linear(4, 3, **options)


class Special(nn.Linear):
    pass


@pytest.mark.parametrize("layers, word", [
    ([linear(), nn.Sigmoid(), nn.Linear(3, 2)], "Sigmoid"), ([nn.BatchNorm1d(4), linear()], "BatchNorm1d"),
    ([Special(4, 3)], "Special"), ([linear(bias=False)], "bias=False"), ([linear(), nn.ReLU()], "Linear"),
    ([nn.Conv2d(1, 2, 3, padding=1), nn.Flatten(), linear()], "padding"),
    ([nn.Conv2d(1, 2, 3, stride=2), nn.Flatten(), linear()], "stride"),
    ([nn.Conv2d(1, 2, (3, 2)), nn.Flatten(), linear()], "kernel_size"),
    ([nn.Conv2d(1, 2, 3), nn.MaxPool2d(3), nn.Flatten(), linear()], "MaxPool2d"),
    ([nn.Conv2d(1, 2, 3), linear()], "Flatten"), ([linear(), nn.Dropout2d()], "Dropout2d"),
    ([nn.ReLU(), linear()], "first"), ([], "Linear"), ([linear(dtype=torch.float64)], "float64"),
    ([linear(), nn.LogSoftmax(dim=1), nn.ReLU()], "LogSoftmax"), ([linear(), nn.LogSoftmax(dim=0)], "dim"),
    ([linear(), nn.LogSoftmax(dim=1)], "NLLLoss")])
def test_layers_that_the_engine_has_not_are_refused_by_name(layers, word):
    net = nn.Sequential(*layers)
    optimizer = torch.optim.SGD(net.parameters() if layers else linear().parameters(), lr=0.1)
    with pytest.raises((TypeError, ValueError), match=word):
        hogwild.torch.compile(net, loss=nn.CrossEntropyLoss(), optimizer=optimizer)


def test_losses_and_optimisers_that_the_engine_has_not_are_refused_by_name():
    net = row_net()
    optim, p = torch.optim, list(net.parameters())
    sgd = optim.SGD(p, lr=0.1)
    for loss, word in [(nn.MSELoss(), "MSELoss"), (nn.CrossEntropyLoss(label_smoothing=0.1), "label_smoothing"),
                       (nn.CrossEntropyLoss(weight=torch.ones(4)), "weight"), (nn.NLLLoss(), "LogSoftmax"),
                       (nn.CrossEntropyLoss(reduction="sum"), "reduction")]:
        with pytest.raises((TypeError, ValueError), match=word):
            hogwild.torch.compile(net, loss=loss, optimizer=sgd)
    for optimizer, word in [(optim.RMSprop(p), "RMSprop"), (optim.AdamW(p), "AdamW"),
                            (optim.SGD(p, lr=0.1, weight_decay=0.1), "weight_decay"),
                            (optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True), "nesterov"),
                            (optim.Adam(p, amsgrad=True), "amsgrad"), (optim.Adagrad(p, lr_decay=0.1), "lr_decay"),
                            (optim.SGD(p[:2], lr=0.1), "other parameters")]:
        with pytest.raises((TypeError, ValueError), match=word):
            hogwild.torch.compile(net, loss=nn.CrossEntropyLoss(), optimizer=optimizer)
    with pytest.raises(TypeError, match="share"):
        hogwild.torch.compile(nn.Linear(2, 2), loss=nn.CrossEntropyLoss(), optimizer=sgd)


def segments():
    told = subprocess.run([sys.executable, "-m", "hogwild", "segments", "--json"], capture_output=True, text=True,
                          check=True).stdout
    return {each["name"]: each for each in json.loads(told)}


def test_a_shared_module_is_as_it_was_and_goes_with_its_name():
    model = nn.Sequential(nn.Linear(5, 3), nn.BatchNorm1d(3))
    model[1].running_mean.fill_(0.5)
    before = copy.deepcopy(model.state_dict())
    name = hogwild.torch.share(model)
    assert all(torch.equal(model.state_dict()[key], before[key]) for key in before)
    listed = segments()[name]
    assert listed["alive"] and listed["owner"] == os.getpid() and listed["model"] == "Sequential"
    other = nn.Sequential(nn.Linear(5, 3), nn.BatchNorm1d(3))
    hogwild.torch.attach(other, name)
    with torch.no_grad():
        other[0].weight.fill_(2.0)
    assert torch.all(model[0].weight == 2.0) and torch.equal(other[1].running_mean, model[1].running_mean)
    with pytest.raises(hw.ResourceError, match="layout"):
        hogwild.torch.attach(nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4)), name)
    with pytest.raises(hw.ResourceError, match="belongs"):
        hogwild.torch.attach(nn.Linear(5, 3), name)
    model(torch.randn(4, 5)).sum().backward()
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    assert torch.equal(model[0].weight, other[0].weight)
    del model
    assert name not in segments() and torch.all(torch.isfinite(other[0].weight))
    with pytest.raises(ValueError, match="no parameters"):
        hogwild.torch.share(nn.ReLU())
    with pytest.raises(hw.ResourceError, match="hogwild-"):
        hogwild.torch.share(nn.Linear(2, 2), name="mine")


def test_workers_have_the_same_memory(tmp_path):
    model = nn.Linear(3, 2)
    with torch.no_grad():
        model.weight.zero_()
    hogwild.torch.share(model)
    ends = hogwild.torch.spawn(torch_workers.add_one, workers=2, args=(model, str(tmp_path)))
    assert [end.exitcode for end in ends] == [0, 0] and sorted(os.listdir(tmp_path)) == ["0", "1"]
    assert model.weight[0].tolist() == [1.0, 1.0, 0.0]


def test_a_killed_worker_is_told_of_and_the_others_go_on(tmp_path):
    model = nn.Linear(3, 2)
    with torch.no_grad():
        model.weight.zero_()
    hogwild.torch.share(model)
    with pytest.warns(RuntimeWarning, match=r"worker 0 \(process \d+\) was killed by SIGKILL: the 1 others go on"):
        ends = hogwild.torch.spawn(torch_workers.dies_or_goes_on, workers=2, args=(model, str(tmp_path)))
    assert [end.exitcode for end in ends] == [-signal.SIGKILL, 0] and torch.all(model.weight == 1.0)


def test_what_a_worker_raises_is_raised():
    model = nn.Linear(3, 2)
    hogwild.torch.share(model)
    with pytest.raises(hw.WorkerError, match="(?s)worker 1 of 2 has raised.*a batch of nothing"):
        hogwild.torch.spawn(torch_workers.raises, workers=2, args=(model,))


def test_parameters_survive_who_shared_them(tmp_path):
    path = str(tmp_path / "name")
    process = subprocess.Popen([sys.executable, str(HERE / "torch_workers.py"), path])
    assert eventually(lambda: os.path.exists(path) or process.poll() is not None, 120.0)
    name = pathlib.Path(path).read_text()
    process.kill()
    process.wait()
    assert not segments()[name]["alive"]
    model = nn.Linear(3, 2)
    hogwild.torch.attach(model, name)
    assert torch.all(model.weight == 4.0)
    told = subprocess.run([sys.executable, "-m", "hogwild", "segments", "--purge"], capture_output=True, text=True,
                          check=True).stdout
    assert name in told and name not in segments() and torch.all(model.weight == 4.0)


def test_the_script_that_users_have_runs_with_two_lines_changed():
    before = set(segments())
    ran = subprocess.run([sys.executable, str(HERE / "torch_hogwild.py"), "--hogwild"], capture_output=True,
                         text=True, timeout=1400)
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout.split()[-1]) > 0.9 and ran.stdout.count("is done") == 2
    assert set(segments()) <= before
