/** Token in the address of this frame; empty without one. The token must not stay there after it was read. */
export const linkToken = location.hash.slice(1);

// Removes the token, so that neither the history nor a page that is reached from here has it.
if (linkToken !== '') history.replaceState(null, '', location.pathname);
