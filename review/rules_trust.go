package review

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// TrustTable holds the rules of a trust store and its pin (contract 01 §7.1 to
// §7.3): what `finishline trust check` evaluates, and every verifier that rests
// on the store.
var TrustTable = verify.NewTable("trust", slices.Concat(storeRules, keyRules, pinRules, strictKeyRules), evidence.Table)

const (
	whyOneShape = "a store that readers could understand differently is no ground for trust, and one bad entry makes all of it invalid"
	doStore     = "correct the store, have the change reviewed, and pin its new digest (`finishline trust pin`)"
)

var storeRules = []verify.Rule{
	{ID: "trust.store.unreadable", Contract: "01 §7.1", Fails: "the trust store is missing, a symbolic link, outside the root, or not readable as JSON",
		Why: "without a store no key is trusted", Do: "restore controls/review-trust.v1.json of the pack as a plain file from the reviewed commit", Eval: verify.Wraps},
	{ID: "trust.store.not-object", Contract: "01 §7.1", Fails: "the store is not a JSON object", Why: whyOneShape, Do: doStore},
	{ID: "trust.store.unknown-field", Contract: "01 §7.1", Fails: "the store has a member other than schema, description and keys",
		Why: "a misspelled or smuggled member would silently mean nothing", Do: doStore},
	{ID: "trust.store.schema", Contract: "01 §7.1", Fails: "schema is not " + StoreSchema, Why: "another format may give the members another meaning", Do: doStore},
	{ID: "trust.store.description", Contract: "01 §7.1", Fails: "description is present and not a non-empty string", Why: whyOneShape, Do: "write a sentence, or remove the member"},
	{ID: "trust.store.keys-not-array", Contract: "01 §7.1", Fails: "keys is absent or not an array", Why: whyOneShape, Do: "list the keys in an array; an empty one trusts nobody"},
}

var keyRules = []verify.Rule{
	{ID: "trust.key.not-object", Contract: "01 §7.1", Fails: "an entry of keys is not an object", Why: whyOneShape, Do: doStore},
	{ID: "trust.key.unknown-field", Contract: "01 §7.1", Fails: "a key has a member outside the format",
		Why: "a misspelled allow-list would restrict nothing", Do: "check the spelling of the member; private material never belongs into a store"},
	{ID: "trust.key.key-id", Contract: "01 §7.1", Fails: "keyId is not an identifier", Why: "reviews name their key by it", Do: doStore},
	{ID: "trust.key.duplicate-key-id", Contract: "01 §7.1", Fails: "an earlier key has the same keyId",
		Why: "a review that names it would not say which key it means", Do: "give each key a name of its own, revoked ones included"},
	{ID: "trust.key.status", Contract: "01 §7.1", Fails: "status is neither active nor revoked", Why: "a key of unclear standing must not verify anything", Do: doStore},
	{ID: "trust.key.algorithm", Contract: "01 §7.1", Fails: "algorithm is not ed25519", Why: "the store must not select a weaker algorithm", Do: "enrol an Ed25519 key"},
	{ID: "trust.key.pem-marker", Contract: "01 §7.1", Fails: "publicKeyPem is not a string containing BEGIN PUBLIC KEY",
		Why: "there is no public key to verify with", Do: "write the key with `openssl pkey -pubout`; if a private key was committed, replace it"},
	{ID: "trust.key.actor-ids", Contract: "01 §7.1", Fails: "allowedActorIds is present and not a non-empty array",
		Why: "an unclear restriction must not read as none", Do: "list the actors, or remove the member to allow anybody"},
	{ID: "trust.key.actor-id-entry", Contract: "01 §7.1", Fails: "an entry of allowedActorIds is not an identifier",
		Why: "there are no wildcards; such an entry can never match", Do: "list each actor by its exact id"},
	{ID: "trust.key.actor-types", Contract: "01 §7.1", Fails: "allowedActorTypes is present and not a non-empty array",
		Why: "an unclear restriction must not read as none", Do: "list the types, or remove the member to allow any"},
	{ID: "trust.key.actor-type-entry", Contract: "01 §7.1", Fails: "an entry of allowedActorTypes is not agent, human or service",
		Why: "such an entry can never match", Do: "use one of the three types"},
}

var pinRules = []verify.Rule{
	{ID: "trust.pin.missing", Contract: "01 §7.2", Fails: "no pin was given", Eval: verify.NotEvaluated,
		Why: "the checkout under review cannot vouch for its own keys", Do: "set " + PinVariable + " from the operator's own records, never from this checkout"},
	{ID: "trust.pin.malformed", Contract: "01 §7.2", Fails: "the pin is not exactly 64 hexadecimal digits",
		Why: "nothing can be compared with it", Do: "look for spaces, a line end or a prefix in " + PinVariable + "; nothing is trimmed"},
	{ID: "trust.pin.live-mismatch", Contract: "01 §7.2", Fails: "the store in the checkout is not the pinned one",
		Why: "somebody changed who is trusted, or the pin is of another store", Do: "compare the stores with `finishline trust diff`; re-pin only what a person reviewed"},
}

var strictKeyRules = []verify.Rule{
	{ID: "strict.trust.key-encoding", Contract: "01 §7.3", Fails: "publicKeyPem is not exactly one PUBLIC KEY block with the 44 bytes of an Ed25519 key",
		Why: "readers that skip text or tolerate encodings can find different keys in one text", Do: "write the key again with `openssl pkey -pubin -pubout` and pin the new store"},
	{ID: "strict.trust.key-not-canonical", Contract: "01 §7.3", Fails: "the key bytes are not the canonical encoding of a curve point",
		Why: "libraries disagree on whether such a key verifies anything", Do: "enrol a key made by a key generator"},
	{ID: "strict.trust.key-small-order", Contract: "01 §7.3", Fails: "the key is a point of small order or outside the prime-order subgroup",
		Why: "anyone can forge signatures that verify under it", Do: "remove the key and find out who enrolled it"},
	{ID: "strict.trust.duplicate-key-material", Contract: "01 §7.3", Fails: "two keys have the same key bytes under different names",
		Why: "a revoked key comes back under a new name, or one holder passes for two", Do: "generate a new key pair for one of the two"},
	{ID: "strict.trust.key-unrestricted", Contract: "01 §7.3", Severity: verify.Warning, Fails: "an active key has no allowedActorIds",
		Why: "whoever holds it can sign as any actor", Do: "list the actors that may sign with it"},
	{ID: "strict.trust.duplicate-allow-entry", Contract: "01 §7.3", Severity: verify.Warning, Fails: "an allow-list repeats an entry",
		Why: "a repeat is often a misspelled other entry", Do: "remove the repeat"},
}
