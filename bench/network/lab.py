# SPDX-License-Identifier: Apache-2.0
"""Machines on a slow network, made of network namespaces of this machine.

Each machine is a namespace with one link (veth) to a hub. Token buckets (tc tbf) at both ends of a link limit its rate
in each direction. Between any two links packets go through delay_relay, which delays them. The caller's namespace stays
unchanged, and everything is removed when the lab is closed.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SUBNET = "10.99.0.0/16"
HUB_ADDRESS = "10.99.255.254"
CGROUPS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup")
QUEUE_MILLISECONDS = 400  # the longest delay in a bucket: enough for everything sent at a time, so nothing is lost


class Unavailable(Exception):
    """Why there can be no lab here."""


def missing(relay):
    """Why there can be no lab here; None if there can be one."""
    if os.geteuid() != 0:
        return "namespaces need root"
    packages = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "mpirun": "openmpi-bin"}
    for program, package in packages.items():
        if shutil.which(program) is None:
            return f"there is no {program} (on Debian and Ubuntu: apt-get install {package})"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    if not os.access(relay, os.X_OK):
        return f"there is no program {relay}; build the target delay_relay"
    return None


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise Unavailable(f"'{' '.join(command)}' failed: {done.stderr.strip() or done.returncode}")
    return done.stdout


def first_cgroup():
    """A hierarchy in which CPU time can be limited, and whether its version is 2."""
    for root in CGROUPS:
        if root.endswith("cpu") and os.path.exists(f"{root}/cpu.cfs_quota_us"):
            return root, False
        if os.path.exists(f"{root}/cgroup.controllers"):
            with open(f"{root}/cgroup.subtree_control", encoding="ascii") as file:
                if "cpu" in file.read().split():
                    return root, True
    raise Unavailable("there is no control group hierarchy in which CPU time can be limited")


def sweep():
    """Closes labs whose program was killed."""
    for line in run("ip", "netns", "list").splitlines():
        space = line.split()[0]
        owner = re.fullmatch(r"hogwild(\d+)-(hub|m\d+)", space)
        if owner and not os.path.exists(f"/proc/{owner[1]}"):
            end_space(space)
    for left in pathlib.Path(tempfile.gettempdir()).glob("hogwild[0-9]*-lab-*"):
        if not os.path.exists(f"/proc/{left.name.removeprefix('hogwild').partition('-')[0]}"):
            shutil.rmtree(left, ignore_errors=True)
    for root in CGROUPS:
        for left in pathlib.Path(root).glob("hogwild[0-9]*"):
            if not os.path.exists(f"/proc/{left.name.removeprefix('hogwild')}"):
                try:
                    left.rmdir()
                except OSError:
                    pass  # a process still runs in there


def end_programs(space):
    """Ends all programs in a namespace of the lab, all of which are ours."""
    listed = subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True, check=False, timeout=60)
    for pid in listed.stdout.split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass


def end_space(space):
    """Removes a namespace and ends all programs in it."""
    end_programs(space)
    subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False, timeout=60)


class Lab:
    """`slow_cpu`: the fraction of a CPU that the last machine may use; None: no limit."""

    def __init__(self, relay, machines, megabits, milliseconds, slow_cpu=None):
        self.relay, self.count, self.megabits, self.milliseconds = relay, machines, megabits, milliseconds
        self.slow_cpu = slow_cpu
        self.name = f"hogwild{os.getpid()}"
        self.machines = [f"m{i}" for i in range(machines)]
        self._spaces, self._relay, self._cgroup, self._folder, self._handlers = [], None, None, None, {}

    def __enter__(self):
        if reason := missing(self.relay):
            raise Unavailable(reason)
        for number in (signal.SIGTERM, signal.SIGHUP):  # they raise an exception, so that the lab is closed
            if signal.getsignal(number) is signal.SIG_DFL:
                self._handlers[number] = signal.signal(number, self._on_signal)
        try:
            sweep()
            self._folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name}-lab-"))
            names = [f"{self.address(i)} {machine}\n" for i, machine in enumerate(self.machines)]
            (self._folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(names), encoding="ascii")
            (self._folder / "cgroup").mkdir()
            (self._folder / "no_servers").write_text("", encoding="ascii")
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    @staticmethod
    def _on_signal(number, _frame):
        raise SystemExit(128 + number)

    def __exit__(self, *_):
        if self._relay is not None:
            self._relay.terminate()
            try:
                self._relay.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._relay.kill()
                self._relay.wait()
            self._relay.stderr.close()
        for space in self._spaces:
            end_space(space)
        self._spaces = []
        if self._cgroup is not None:
            for _ in range(50):  # until the last process has ended
                try:
                    os.rmdir(self._cgroup)
                    break
                except OSError:
                    time.sleep(0.1)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}

    def _space(self, name):
        run("ip", "netns", "add", name)
        self._spaces.append(name)
        run("ip", "-n", name, "link", "set", "lo", "up")

    def _make(self):
        hub = f"{self.name}-hub"
        self._space(hub)
        self._set(hub, "net/ipv4/ip_forward", 1)
        for which in ("all", "default"):
            self._set(hub, f"net/ipv4/conf/{which}/rp_filter", 0)
            self._set(hub, f"net/ipv4/conf/{which}/send_redirects", 0)
        self._start_relay(hub)
        for i, machine in enumerate(self.machines):
            space = f"{self.name}-{machine}"
            self._space(space)
            address = self.address(i)
            run("ip", "link", "add", "wire", "netns", space, "type", "veth", "peer", "name", machine, "netns", hub)
            run("ip", "-n", space, "address", "add", f"{address}/16", "dev", "wire", "noprefixroute")
            run("ip", "-n", space, "link", "set", "wire", "up")
            run("ip", "-n", hub, "link", "set", machine, "up")
            run("ip", "-n", space, "route", "add", HUB_ADDRESS, "dev", "wire", "scope", "link")
            run("ip", "-n", space, "route", "add", "default", "via", HUB_ADDRESS)
            run("ip", "-n", hub, "address", "add", f"{HUB_ADDRESS}/32", "dev", machine)
            run("ip", "-n", hub, "route", "add", f"{address}/32", "dev", machine)
            run("ip", "-n", hub, "rule", "add", "iif", machine, "lookup", "100")
            # A connection that was idle for a moment keeps its window, as on machines configured for MPI.
            self._set(space, "net/ipv4/tcp_slow_start_after_idle", 0)
            if self.megabits is not None:
                self._limit(space, "wire")
                self._limit(hub, machine)
        if self.slow_cpu is not None:
            self._limit_cpu()

    def _set(self, space, name, value):
        run("ip", "netns", "exec", space, "sh", "-c", f"echo {value} > /proc/sys/{name}")

    def _limit(self, space, device):
        burst = max(64 * 1024, int(self.megabits * 1e6 / 8 * 0.002))  # a large segment, and the bytes of 2 ms
        run("tc", "-n", space, "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{self.megabits}mbit", "burst",
            str(burst), "latency", f"{QUEUE_MILLISECONDS}ms")

    def _start_relay(self, hub):
        command = ["ip", "netns", "exec", hub, str(self.relay), "--device", "far", "--milliseconds"]
        self._relay = subprocess.Popen([*command, str(self.milliseconds)], stderr=subprocess.PIPE, text=True)
        for _ in range(100):
            if self._relay.poll() is not None:
                raise Unavailable(f"the delay relay ended: {self._relay.stderr.read().strip()}")
            shown = subprocess.run(["ip", "-n", hub, "link", "show", "far"], capture_output=True, check=False)
            if shown.returncode == 0:
                break
            time.sleep(0.05)
        run("ip", "-n", hub, "link", "set", "far", "up", "txqueuelen", "10000")
        self._set(hub, "net/ipv4/conf/far/rp_filter", 0)
        run("ip", "-n", hub, "route", "add", "default", "dev", "far", "table", "100")

    def _limit_cpu(self):
        root, is_second = first_cgroup()
        self._cgroup = f"{root}/{self.name}"
        try:
            os.mkdir(self._cgroup)
            period = 10_000  # us: short compared with an epoch
            quota = max(1000, int(self.slow_cpu * period))
            values = {"cpu.max": f"{quota} {period}"} if is_second else {"cpu.cfs_period_us": str(period),
                                                                         "cpu.cfs_quota_us": str(quota)}
            for name, value in values.items():
                with open(f"{self._cgroup}/{name}", "w", encoding="ascii") as file:
                    file.write(value)
        except OSError as error:
            raise Unavailable(f"CPU time cannot be limited: {error}") from error

    @staticmethod
    def address(i):
        return f"10.99.0.{i + 1}"

    def environment(self):
        more = {"HOGWILD_LAB": self.name, "HOGWILD_LAB_FOLDER": str(self._folder), "TMPDIR": str(self._folder),
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if self._cgroup is not None:
            more |= {"HOGWILD_LAB_SLOW": self.machines[-1], "HOGWILD_LAB_CGROUP": self._cgroup}
        return {**os.environ, **more}

    def clear(self):
        """Ends programs that still run on the machines, such as ranks of a run that took too long."""
        for machine in self.machines:
            end_programs(f"{self.name}-{machine}")

    def command(self, i, *command):
        """The command prefix that runs a program on one machine."""
        quoted = " ".join(quote(word) for word in command)
        return [str(HERE / "agent"), self.machines[i], quoted]

    def mpirun(self, *program, count=None):
        """The command for one rank on each machine, or on the last `count`; it starts on the first machine."""
        count = count or self.count
        hosts = ",".join(f"{machine}:1" for machine in self.machines[-count:])
        return self.command(0, "mpirun", "-n", str(count), "--host", hosts, "--bind-to", "none",
                            "--mca", "plm_rsh_agent", str(HERE / "agent"),
                            "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "btl_tcp_if_include", SUBNET,
                            "--mca", "oob_tcp_if_include", SUBNET, "-x", "TMPDIR", *map(str, program))


def quote(word):
    return "'" + word.replace("'", "'\\''") + "'"


def finish(command, environment, seconds):
    """Runs a command in a process group of its own, which it ends after `seconds`. Returns code (None: late), out and
    err."""
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        out, err = child.communicate(timeout=seconds)
        return child.returncode, out, err
    except subprocess.TimeoutExpired:
        return None, "", f"nothing came within {seconds} s"
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
