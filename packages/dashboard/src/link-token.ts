/** The token of a link. It is removed from the URL at once, so that no history and no screenshot keeps it. */
export const token = tokenOf(location.hash);
if (token !== undefined) history.replaceState(null, '', location.pathname);

// Another link that is opened in this tab changes only the fragment, for which browsers load nothing.
addEventListener('hashchange', () => {
  if (tokenOf(location.hash) !== undefined) location.reload();
});

function tokenOf(hash: string): string | undefined {
  return new URLSearchParams(hash.slice(1)).get('token') ?? undefined;
}
