"""One client of the driver, which does a fault by name while a call of its has no answer."""

import os
import signal
import sys
import threading

from playwright_client import Driver


def descendants(pid):
    """Returns the processes below one, each with its command."""
    parents, commands = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stat, open("/proc/%s/cmdline" % name) as command:
                parents[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
                commands[int(name)] = command.read()
        except OSError:
            pass  # it has ended
    below = [pid]
    for parent in below:
        below += [child for child, above in parents.items() if above == parent]
    return [(child, commands[child]) for child in below[1:]]


def do_fault(driver):
    if sys.argv[1] == "client":
        os._exit(3)
    for pid, command in [(driver.process.pid, "the stand-in, or the driver where there is none"), *descendants(driver.process.pid)]:
        browser = "chrom" in command and "--type=" not in command and "cli.js" not in command
        if {"standin": pid == driver.process.pid, "driver": "run-driver" in command or os.environ.get("BREADCRUMB_RUN") is None and pid == driver.process.pid, "browser": browser}[sys.argv[1]]:
            os.kill(pid, signal.SIGKILL)


driver = Driver(os.environ["PLAYWRIGHT_CLI"])
driver.launch()
page = driver.new_page("data:text/html,<h1>Shop</h1><button id=pay>Pay</button>")
page.click("#pay")
threading.Timer(1, do_fault, [driver]).start()
try:
    driver.call(page.frame, "click", {"selector": "#lost", "strict": True, "timeout": 20000})
except Exception as error:
    print(type(error).__name__)
    os._exit(4)
