// Package bridgeevent verifies bridge-event.v1 documents and normalises the raw
// notices of the hosts cc, cursor and codex into them (contract 22, sections 2
// and 3).
//
// [Verify] holds a file against the format that has one document, or one in
// each line; [Document] does so for the bytes of one. [Standard] gives the
// registry of the three adapters, whose [Registry.Normalize] turns the bytes of
// one raw notice into one [Event] or one finding; a [Caller] is the loop around
// it, which goes on after a bad notice and never forgets that there was one.
//
// What is promised: a normalised event is a valid document; its ts is exact to
// the nanosecond; the payload has every other member of the notice with its
// number literals digit for digit. What is not: that an event is true, or that
// its host sent it. Nothing here is signed.
//
// At base level (--base, which is what the contract calls lenient) repeated
// members, ill-formed UTF-8 and text behind the notice are read as the hosts'
// own daemon reads them.
package bridgeevent
