/** What the link of this frame brought, empty without one. It must not outlive the moment it is read. */
export const linkToken = location.hash.slice(1);

// Neither the history nor a page that is reached from here has it.
if (linkToken !== '') history.replaceState(null, '', location.pathname);
