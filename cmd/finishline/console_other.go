//go:build !unix

package main

func openConsole() (console, error) { return console{}, errNoConsole }

func (console) noEcho() (restore func(), err error) { return nil, errNoConsole }
