/** Names of series in a PromQL expression, and the labels that it selects or groups by. */
export function wordsOf(expr: string): { names: string[]; labels: string[] } {
  const selectors = [...expr.matchAll(/\{([^}]*)\}/g)].map(([, inside]) => inside!);
  const labels = selectors.flatMap((inside) =>
    [...inside.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label]) => label!),
  );
  const groups = [...expr.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, inside]) =>
    inside!.split(',').map((label) => label.trim()),
  );
  const bare = expr
    .replace(/\{[^}]*\}/g, '')
    .replace(/\b(?:by|without)\s*\([^)]*\)/g, '')
    .replace(/\[[^\]]*\](?:\s*offset \d+[smhdw])?/g, '');
  const names = [...bare.matchAll(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/gi)].map(([name]) => name);
  return {
    names: names.filter((name) => !['by', 'and', 'or', 'unless', 'bool'].includes(name)),
    labels: [...labels, ...groups],
  };
}
