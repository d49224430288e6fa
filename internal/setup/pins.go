package setup

// action is an action of others that workflows use, by its commit.
type action struct{ name, commit, version string }

// The actions that workflows use. Their commits are those of the tags in
// actions/*.
var (
	checkout         = action{"actions/checkout", "3d3c42e5aac5ba805825da76410c181273ba90b1", "v7.0.1"}
	setupNode        = action{"actions/setup-node", "820762786026740c76f36085b0efc47a31fe5020", "v7.0.0"}
	setupPython      = action{"actions/setup-python", "5fda3b95a4ea91299a34e894583c3862153e4b97", "v7.0.0"}
	setupJava        = action{"actions/setup-java", "b6effb05e454b25005698d916606bdc6ffcbf961", "v5.7.0"}
	setupDotnet      = action{"actions/setup-dotnet", "a98b56852c35b8e3190ac28c8c2271da59106c68", "v6.0.0"}
	setupGo          = action{"actions/setup-go", "b7ad1dad31e06c5925ef5d2fc7ad053ef454303e", "v7.0.0"}
	uploadArtifact   = action{"actions/upload-artifact", "bbbca2ddaa5d8feaa63e36b76fdaad77386f024f", "v7.0.0"}
	downloadArtifact = action{"actions/download-artifact", "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c", "v8.0.1"}
)

func (a action) String() string { return a.name + "@" + a.commit + " # " + a.version }
