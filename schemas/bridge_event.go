package schemas

// BridgeEvent is the schema of bridge-event.v1 (contract 22, section 2). Its
// verifier checks the same in code; a test holds the two together.
func BridgeEvent() []byte {
	data, _ := files.ReadFile("bridge-event.v1.json") // embedded, so always there
	return data
}
