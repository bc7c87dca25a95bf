// Package secret tells whether names, texts and command arguments disclose a
// secret, and redacts them (docs/contracts/01, section 6.2). It looks at one
// name or one text at a time; walking a document is package verify/evidence.
//
// Start with [InText] for a text and [NameOf] for a member name: the first is
// what the contract calls secret-text, the second gives its name classes.
// [Argv] walks a command line. [Redact] is the producers' side of the same
// detectors: a text discloses a secret exactly when redaction would change it.
// [Mask] is stricter than the contract and is for our own messages.
//
// What is promised: time is linear in the text for detection, whatever the
// text; nothing here returns an error or panics; matching is ASCII-only, so no
// Unicode case folding turns a harmless word into a secret or hides one. No
// regular expression runs on the text: the contract's expressions are hand
// written scans, and the tests compare them with those expressions. What is
// not promised: that a text without a finding holds no secret. These are the
// shapes that the format agreed to refuse, and nothing more.
package secret
