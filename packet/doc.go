// Package packet verifies run packets (valdris.run-packet.v3 and, as history,
// v2): the document that closes one run of an agent, and everything that its
// digests bind (docs/contracts/05).
package packet
