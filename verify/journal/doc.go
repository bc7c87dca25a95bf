// Package journal recognises journals and hands each to its verifier: the
// bridge's authenticated store (package store), the Harness v2 journal (package
// harness), the HUX event stream (package hux), the mailbox (package mailbox) and
// the single events it is made of (package bridgeevent).
//
// Start with [Detect], which tells what lies at a path, and [Verify], which
// verifies it and makes the report. What a pass promises differs from journal
// to journal: only the bridge's store is authenticated, and only with its key;
// the others say no more than that nothing in them contradicts their contract.
package journal
