package starter

import "finishline/packet/pack"

// Loader gives a discovery loader of the target, AGENTS.md or CLAUDE.md, with
// the block that a commissioned pack needs (06 §6): the text that is there,
// unchanged, then the block. A loader that has the block already comes back as
// it is. The error is a *pack.LoaderError for a text that cannot have it.
func Loader(name string, existing []byte) (data []byte, err error) {
	if bad := pack.CheckLoader(name, existing); bad == nil {
		return existing, nil
	}
	data = append([]byte(nil), existing...)
	if n := len(data); n > 0 {
		if data[n-1] != '\n' {
			data = append(data, '\n')
		}
		data = append(data, '\n')
	}
	data = append(data, pack.LoaderBlock(name)+"\n"...)
	if bad := pack.CheckLoader(name, data); bad != nil {
		return nil, bad
	}
	return data, nil
}
