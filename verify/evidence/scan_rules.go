package evidence

import "finishline/verify"

const doRedact = "rotate the secret, write [REDACTED] in its place, and make the document again"

var scanRules = []verify.Rule{
	{ID: "self-grant.agent-approval", Contract: "01 §6.1", Fails: "an object says that something was granted and that an agent granted it",
		Why: "an agent that approves its own work has not been approved", Do: "have a person or a service with authority grant it, under their own identity"},
	{ID: "secrets.metric-not-numeric", Contract: "01 §6.2", Fails: "a member whose name is that of a token count holds something else than numbers",
		Why: "such names are exempt from the scan for secrets only because counts are no secrets", Do: "write the count as a number, or rename the member"},
	{ID: "secrets.raw-value", Contract: "01 §6.2", Fails: "a member whose name announces a secret holds something else than a placeholder, or something below it does",
		Why: "evidence is copied, archived and shown, so whatever it holds is no longer secret", Do: "write [REDACTED] there, or rename the member if it never holds a secret; rotate the secret if it was one"},
	{ID: "secrets.string", Contract: "01 §6.2", Fails: "a text holds what looks like a private key, a bearer token, an access token, a password in a URL or an assignment of one",
		Why: "evidence is copied, archived and shown, so whatever it holds is no longer secret", Do: doRedact},
	{ID: "secrets.argv-malformed", Contract: "01 §6.2", Fails: "a command line is empty, has an argument that is no text or empty, or a secret flag without a value",
		Why: "the value of such a flag could then hide in another argument", Do: "record the command line as it was run, with [REDACTED] as the value of each secret flag"},
	{ID: "secrets.argv-raw-value", Contract: "01 §6.2", Fails: "a flag of a command line that announces a secret has a value that is no placeholder",
		Why: "command lines are the most common way for secrets to reach evidence", Do: "rotate the secret, and record [REDACTED] as the flag's value"},
	{ID: "strict.secrets.member-name", Contract: "01 §6.2", Fails: "the name of a member has the shape of a secret",
		Why: "a name is shown and archived like any text", Do: doRedact},
	{ID: "strict.secrets.private-key-marker", Contract: "01 §6.2", Fails: "a text has the first line of a private key, of whatever kind and however incomplete",
		Why: "a cut or an encrypted private key is still key material", Do: doRedact},
	{ID: "strict.secrets.cloud-token", Contract: "01 §6.2", Fails: "a text has the shape of a cloud access key, a chat token, a code forge token or an API key",
		Why: "these are the credentials that are abused within minutes of being published", Do: doRedact},
}
