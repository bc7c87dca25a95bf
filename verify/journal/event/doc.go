// Package event holds the event contract uash.connector-events.v0.5 as far as
// one event can show it by itself (contract 13, sections 1 and 3): what an
// event must say, and in which words.
//
// Start with [Stored] for an event of a journal: it gives the rules that make
// the event invalid there, and what a stricter reading has against it, which
// never does (section 9). [Submitted] is the reading for an event that somebody
// wants recorded, where all rules count. Both expect a normalised event
// (section 2): the alias node, a missing id and a missing time are the
// business of whoever receives events.
//
// What a pass means: the event names a known type, actor, node, status, mode
// and source, has a message, and gives the reasons, owners and references its
// type asks for. What it does not: that any of it is true. An actor is a label,
// a time is text of the client, and a claim in an event makes no node pass.
package event
