/** The token of a link. It is removed from the URL at once, so that no history and no screenshot keeps it. */
export const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
if (token !== undefined) history.replaceState(null, '', location.pathname);
