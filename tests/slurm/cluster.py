"""A Slurm cluster on this machine: munged, slurmctld and several slurmd, all on loopback.

Nothing outside its folder is read or written, and it ends with the object. A node can die, with all
that ran on it, and come back.
"""

import os
import random
import signal
import socket
import subprocess
import time

CONFIGURATION = """\
ClusterName=gpx
SlurmctldHost=localhost
SlurmctldPort={port}
AuthType=auth/munge
# A task that is submitted again waits until the credential of its last try has expired.
AuthInfo=socket={folder}/munge.socket,cred_expire=2
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdTimeout=10
SlurmctldTimeout=10
MessageTimeout=30
KillWait=2
ReturnToService=2
MpiDefault=none
NodeName=n[1-{nodes}] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 \
RealMemory=500 State=UNKNOWN
PartitionName=main Nodes=n[1-{nodes}] Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """The first of so many ports in a row that nobody listens on."""
    for _ in range(100):
        first = random.SystemRandom().randrange(20000, 32000)
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:
        return []


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Cluster:
    def __init__(self, folder, nodes):
        self.folder, self.nodes = folder, nodes
        os.chmod(folder, 0o755)
        for name in ("state", "spool"):
            os.mkdir(f"{folder}/{name}")
        first = free_ports(nodes + 1)
        with open(f"{folder}/slurm.conf", "w") as file:
            file.write(
                CONFIGURATION.format(
                    folder=folder, port=first, first=first + 1, last=first + nodes, nodes=nodes,
                    user=os.environ.get("USER", "root"),
                )
            )
        with open(f"{folder}/munge.key", "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(f"{folder}/munge.key", 0o400)
        self.environment = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf")
        options = [f"--{name}={folder}/munge.{name.split('-')[0]}"
                   for name in ("key-file", "socket", "pid-file", "log-file", "seed-file")]
        self.call(["/usr/sbin/munged", "--force", *options])
        self.call(["/usr/sbin/slurmctld", "-i"])
        for node in range(1, nodes + 1):
            self.start_node(node)
        self.wait_for(lambda: self.call(["sinfo", "-h", "-o", "%D %T"]).split() == [str(nodes), "idle"])

    def call(self, words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr or done.stdout}")
        return done.stdout

    @staticmethod
    def wait_for(condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError("the cluster is not there in time")
            time.sleep(0.2)

    def start_node(self, node):
        self.call(["/usr/sbin/slurmd", "-N", f"n{node}"])

    def daemon_of(self, node):
        """slurmd of a node, or 0."""
        for pid in processes():
            words = words_of(pid)
            if words[:1] and words[0].endswith("slurmd") and f"n{node}" in words:
                if f"SLURM_CONF={self.folder}/slurm.conf".encode() in environment_of(pid):
                    return pid
        return 0

    def kill_daemon(self, node):
        """Only slurmd: its jobs run on, unknown to Slurm."""
        if pid := self.daemon_of(node):
            kill(pid)

    def kill_node(self, node):
        """slurmd and all that runs on the node, at once."""
        mine = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        name = f"SLURMD_NODENAME=n{node}".encode()
        jobs = [pid for pid in processes()
                if {mine, name} <= set(environment_of(pid))]
        stepds = {parent_of(pid) for pid in jobs}
        self.kill_daemon(node)
        for pid in [pid for pid in stepds if words_of(pid) and "slurmstepd" in words_of(pid)[0]]:
            kill(pid)
        for pid in jobs:
            kill(pid)

    def stop(self):
        mine = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for pid in processes():
            if pid != os.getpid() and mine in environment_of(pid) and parent_of(pid) != os.getpid():
                kill(pid)
        for name in ("slurmctld.pid", "munge.pid"):
            try:
                with open(f"{self.folder}/{name}") as file:
                    kill(int(file.read()))
            except (OSError, ValueError):
                pass
