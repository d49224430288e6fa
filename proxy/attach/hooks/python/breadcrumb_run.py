"""Tells `breadcrumb run` which test this process of pytest runs.

pytest loads it by its entry point where PYTHONPATH leads to it. What goes wrong here
leaves the tests as they are.
"""

import json
import os

_NAME = "breadcrumb-run"
_results = {}  # outcome and seconds of the tests that run, by node id
_config = None


def _tell(nodeid, location, ended):
    folder = os.environ.get("BREADCRUMB_RUN")
    if not folder:
        return
    name = os.path.join(folder, "tests", "%d.json" % os.getpid())
    file, line, _ = location
    told = {"runner": "pytest", "node": nodeid, "path": file, "line": (line or 0) + 1, "ended": ended}
    try:
        with open(name + ".part", "w", encoding="utf-8") as part:
            json.dump(told, part)
        os.replace(name + ".part", name)
    except OSError:
        pass


def pytest_configure(config):
    global _config
    _config = config
    # The list of plugins at the top of the output is the one without this.
    try:
        plugins = config.pluginmanager._plugin_distinfo
        plugins[:] = [(plugin, dist) for plugin, dist in plugins if dist.project_name != _NAME]
    except Exception:
        pass


def pytest_runtest_logstart(nodeid, location):
    _tell(nodeid, location, False)


def _leads_workers():
    """Reports whether this process only repeats what workers of pytest-xdist tell."""
    try:
        return _config.pluginmanager.hasplugin("dsession")
    except Exception:
        return False


def pytest_runtest_logreport(report):
    try:
        outcome, took = _results.get(report.nodeid, ("passed", 0))
        if report.outcome == "failed":
            outcome = "failed"
        elif outcome == "passed" and (report.outcome != "passed" or hasattr(report, "wasxfail")):
            outcome = "skipped, or failed as it was meant to"
        _results[report.nodeid] = (outcome, took + report.duration)
    except Exception:
        pass


def pytest_runtest_logfinish(nodeid, location):
    _tell(nodeid, location, True)
    outcome, took = _results.pop(nodeid, ("unknown", 0))
    folder = os.environ.get("BREADCRUMB_RUN")
    if not folder or _leads_workers():
        return
    file, line, _ = location
    told = {"runner": "pytest", "node": nodeid, "path": file, "line": (line or 0) + 1, "ended": True,
            "passed": outcome == "passed", "failed": outcome in ("failed", "unknown"), "took": int(took * 1000),
            "worker": os.environ.get("PYTEST_XDIST_WORKER", "")}
    try:
        with open(os.path.join(folder, "results", "%d.ndjson" % os.getpid()), "a", encoding="utf-8") as results:
            results.write(json.dumps(told) + "\n")
    except OSError:
        pass
