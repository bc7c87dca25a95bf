package schemas

// HUXEvent is the user's schema of one event of the HUX stream (contract 21),
// re-indented.
func HUXEvent() []byte {
	data, _ := files.ReadFile("hux-event.schema.json") // embedded, so always there
	return data
}

// HUXCommon is our companion of it: permissive definitions of what the event
// schema refers to and nobody supplied.
func HUXCommon() []byte {
	data, _ := files.ReadFile("hux-common.schema.json") // embedded, so always there
	return data
}
