/** Returns `a.b.example.com`, `b.example.com` and `example.com`, but not the top-level domain. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
