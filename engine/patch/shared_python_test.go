package patch

func pythonGrid() sharedGrid {
	const three = `
def test_buys(PARAMS):
    HEAD
    {use}

def test_pays(PARAMS):
    HEAD
    {use}

def test_looks(PARAMS):
    HEAD
    {apart}
`
	return sharedGrid{
		pageFile: "cart.py", testFile: "test_cart.py", kept: 734,
		tests: [3]string{"test_buys", "test_pays", "test_looks"},
		class: `from base import Base, step, once, wrap

class Cart(Base):
    limit = 1
{member}

    def other(self):
        self.page.locator("#other").click()
`,
		load: "from cart import Cart", make: "cart = Cart(page)", apart: "cart.other()",
		decorations: []string{
			"    ", "    @step\n    ", "    @step(\"run\")\n    ", "    @step(name=\"run\", data={\"a\": [1, (2)]})\n    ", "    @step(\n        \"run\",\n    )  # def stop(self):\n    ",
			"    @step(lambda stop: stop)\n\n    @wrap.stop(\"x\")\n    ", "    # def stop(self):\n    ", "    # def stop(self):\n# at the edge\n    @step\n    ",
		},
		neighbours: []string{
			"", "    a = 1\n", "    a: dict = {\"b\": 1}\n", "    def stop(self): return 1\n", "    def stop(self):\n        return {\"a\": 1}\n\n",
			"    \"\"\"\n    def stop(self):\n    \"\"\"\n", "    a = \\\n        1\n", "    a = [\n1,\n    ]\n", "    class Meta:\n        a = 1\n",
		},
		members: pythonMembers(), modules: pythonModules(),
		ways: []way{
			{name: "direct", files: map[string]string{"test_cart.py": "{load}\n" + fillIn(three, "PARAMS", "page", "HEAD", "{make}")}},
			{name: "helper", files: map[string]string{
				"test_cart.py": "{load}\nfrom shop import shop as buy\n" + fillIn(three, "PARAMS", "page", "HEAD", "{make}", "{use}", "buy(page)"),
				"shop.py":      "{load}\n\nlimit = 1\n\ndef shop(\n    page,\n    x=1,\n) -> dict[str, int]:\n    {make}\n    {use}\n",
			}},
			{name: "fixture", classOnly: true, files: map[string]string{
				"test_cart.py": fillIn(three, "PARAMS", "cart", "HEAD", "pass"),
				"conftest.py":  "import pytest\n{load}\n\n\n@pytest.fixture(\n    scope=\"function\",\n)\ndef cart(page):\n    {make}\n    yield cart\n",
			}},
			{name: "subclass", classOnly: true, files: map[string]string{
				"test_cart.py": "from big import Big\n" + fillIn(three, "PARAMS", "page", "HEAD", "cart = Big(page)"),
				"big.py":       "{load}\n\nclass Big(\n    Cart,\n):\n    def big(self):\n        pass\n",
			}},
			{name: "part", classOnly: true, files: map[string]string{
				"test_cart.py": "from shop import Shop\n" + fillIn(three, "PARAMS", "page", "HEAD", "shop = Shop(page)", "{use}", "shop.buy()", "{apart}", "shop.look()"),
				"shop.py":      "{load}\n\nclass Shop:\n    def __init__(self, page):\n        self.cart = Cart(page)\n\n    @step(\"buy\")\n    def buy(\n        self,\n    ):\n        cart = self.cart\n        {use}\n\n    def look(self):\n        cart = self.cart\n        {apart}\n",
			}},
		},
	}
}

func pythonMembers() []member {
	const click = `self.page.locator("#go").click()`
	call := func(name, source string) member { return member{name: name, source: source, use: "cart.go()"} }
	read := func(name, source string) member { return member{name: name, source: source, use: "cart.go.click()"} }
	with := func(name, use string) member {
		return member{name: name, source: "def go(self):\n        " + click, use: use}
	}
	return []member{
		call("method", "def go(self):\n        "+click),
		call("one line", "def go(self): "+click),
		call("asynchronous", "async def go(self) -> dict[str, int]:\n        await "+click),
		call("lines", "def go(\n        self,\n        x: dict = {\"a\": 1},\n    ) -> dict[\n        str, int\n    ]:\n        "+click),
		call("generic", "def go[T: (int, str)](self, x: T = 1) -> T:\n        "+click),
		call("default", "def go(self, at=lambda page: page.locator(\"#go\")):\n        at(self.page).click()"),
		call("text", "def go(self):\n        x = \"\"\"\n    def stop(self):\n        \"\"\"\n        "+click),
		call("text at the edge", "def go(self):\n        x = \"\"\"\ndef stop(self):\n\"\"\"\n        "+click),
		call("comments", "def go(self):\n    # def stop(self):\n# at the edge\n        "+click),
		call("continued", "def go(self): \\\n        "+click),
		call("argument at the edge", "def go(self):\n        self.page.locator(\n\"#go\"\n        ).click()"),
		call("blocks", "def go(self):\n        for _ in range(2):\n            if self.page:\n                try:\n                    "+click+"\n                finally:\n                    pass"),
		call("with", "def go(self):\n        with self.page.expect_popup() as popup:\n            "+click),
		call("lambda", "go = lambda self: "+click),
		call("lambda on lines", "go = (\n        lambda self: "+click+"\n    )"),
		call("wrapped lambda", "go = once(lambda self: "+click+")"),
		call("two names", "run = go = lambda self: "+click),
		call("closure", "def go(self):\n        def run():\n            "+click+"\n        run()"),
		call("closure that is handed on", "def go(self):\n        @wrap.on(\"x\")\n        def _(x):\n            "+click+"\n        self.page.reload()"),
		call("closure given back", "def go(self):\n        def run():\n            "+click+"\n        return run()"),
		call("private", "def go(self):\n        self.__run()\n\n    def __run(self):\n        "+click),
		call("overloads", "@overload\n    def go(self) -> None: ...\n    @overload\n    def go(self, x: int) -> dict: ...\n    def go(self, x=None):\n        "+click),
		call("partial", "def run(self, x):\n        "+click+"\n\n    go = partialmethod(run, 1)"),
		call("class in a method", "def go(self):\n        class Run:\n            def __call__(me):\n                "+click+"\n        Run()()"),
		call("constant", "SELECTOR = \"#go\"\n\n    def go(self):\n        self.page.locator(self.SELECTOR).click()"),
		call("annotated constant", "SELECTOR: str = \"#go\"\n\n    def go(self):\n        self.page.locator(self.SELECTOR).click()"),
		call("semicolons", "def go(self):\n        a = 1; "+click),
		call("given another name", "def run(self):\n        "+click+"\n\n    go = run"),
		{name: "class method", source: "@classmethod\n    def go(cls, page):\n        page.locator(\"#go\").click()", use: "Cart.go(page)"},
		{name: "static method", source: "@staticmethod\n    def go(page):\n        page.locator(\"#go\").click()", use: "Cart.go(page)"},
		read("property", "@property\n    def go(self):\n        return self.page.locator(\"#go\")"),
		read("cached property", "@cached_property\n    def go(self) -> \"dict[str, int]\":\n        return self.page.locator(\"#go\")"),
		{name: "setter", source: "@property\n    def go(self): return 1\n\n    @go.setter\n    def go(self, x):\n        " + click, use: "cart.go = 1"},
		read("field", "def __init__(self, page):\n        self.go = page.locator(\"#go\")"),
		read("typed field", "def __init__(self, page):\n        self.go: Locator = page.locator(\"#go\")"),
		read("second field", "def __init__(self, page):\n        self.a, self.go = 1, page.locator(\"#go\")"),
		read("field of two names", "def __init__(self, page):\n        self.a = self.go = page.locator(\"#go\")"),
		read("field on lines", "def __init__(self, page):\n        self.go = (\n            page.locator(\"#go\")\n        )"),
		{name: "acts when made", source: "def __init__(self, page):\n        page.locator(\"#go\").click()", use: "cart.a"},
		{name: "asks when made", source: "def __init__(self, page):\n        self.text = page.locator(\"#go\").inner_text()", use: "cart.a"},
		{name: "entered", source: "def __enter__(self):\n        " + click, use: "with cart: pass"},
		{name: "iterated", source: "def __iter__(self):\n        yield self.page.locator(\"#go\")", use: "list(cart)"},
		{name: "called itself", source: "def __call__(self):\n        " + click, use: "cart()"},
		{name: "context manager", source: "@contextmanager\n    def go(self):\n        " + click + "\n        yield", use: "with cart.go(): pass"},
		with("by its name as text", "getattr(cart, \"go\")()"),
		with("by a name in a variable", "name = \"go\"; getattr(cart, name)()"),
		with("by a composed name", "getattr(cart, f\"g{'o'}\")()"),
		with("by a caller", "methodcaller(\"go\")(cart)"),
		with("in a list", "for f in [cart.go]: f()"),
	}
}

func pythonModules() []member {
	const click = `page.locator("#go").click()`
	const other = "\n\ndef other(page):\n    page.locator(\"#other\").click()\n"
	of := func(name, source string) member {
		return member{name: name, source: source + other, use: "go(page)", load: "from cart import go, other", make: "pass", apart: "other(page)"}
	}
	cart := func(name, source string) member {
		return member{name: name, source: source + "\n\n    def other(self):\n        pass\n", use: "cart.go()", load: "from cart import Cart", make: "cart = Cart(page)", apart: "cart.other()"}
	}
	return []member{
		of("function", "def go(page):\n    "+click),
		of("decorated function", "import x\n\n@x.step(\"run\")\n\n# def stop():\ndef go(\n    page,\n) -> None:\n    "+click),
		of("conditional function", "import x\nif x:\n    def go(page):\n        "+click+"\nelse:\n    go = None"),
		of("lambda", "go = lambda page: "+click),
		of("wrapped", "go = wrap(\"x\", lambda page: "+click+")"),
		of("made", "def make():\n    def run(page):\n        "+click+"\n    return run\n\ngo = make()"),
		of("other name", "def run(page):\n    "+click+"\n\ngo = run"),
		of("in a map", "def run(page):\n    "+click+"\n\nsteps = {\"go\": run}\n\ndef go(page):\n    steps[\"go\"](page)"),
		of("constant", "SELECTOR = \"#go\"\n\ndef go(page):\n    page.locator(SELECTOR).click()"),
		of("map of selectors", "SELECTORS = {\n    \"stop\": \"#stop\",\n    \"go\": \"#go\",\n}\n\ndef go(page):\n    page.locator(SELECTORS[\"go\"]).click()"),
		of("class of selectors", "class Selectors:\n    STOP = \"#stop\"\n    GO = \"#go\"\n\ndef go(page):\n    page.locator(Selectors.GO).click()"),
		cart("mixin", "class Going:\n    def go(self):\n        self."+click+"\n\nclass Cart(Base, Going):\n    limit = 1"),
		cart("abstract", "class Base(ABC):\n    @abstractmethod\n    def run(self): ...\n\n    def go(self):\n        self.run()\n\nclass Cart(Base):\n    def run(self):\n        self."+click),
		cart("data class", "@dataclass(frozen=True)\nclass Cart(Base[dict[str, int]], metaclass=Meta):\n    page: Page\n    x: dict = field(default_factory=lambda: {})\n\n    def go(self):\n        self."+click),
		cart("acts after it is made", "@dataclass\nclass Cart:\n    page: Page\n\n    def __post_init__(self):\n        self."+click+"\n\n    def go(self): pass"),
		cart("class made by a call", "def make():\n    class Made:\n        def go(self):\n            self."+click+"\n    return Made\n\nclass Cart(make()):\n    limit = 1"),
		cart("acts in the base's constructor", "class Base:\n    def __init__(self, page):\n        "+click+"\n\nclass Cart(Base):\n    def go(self): pass"),
	}
}
