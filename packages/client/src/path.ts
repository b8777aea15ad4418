/** The path of a route with its parameters, percent-encoded: path`/api/emails/${id}`. */
export function path(texts: TemplateStringsArray, ...parameters: readonly string[]): string {
  return texts.reduce((all, text, n) => {
    const parameter = String(parameters[n - 1]);
    // URLs drop these segments, so a different route would be called.
    if (parameter === '' || parameter === '.' || parameter === '..')
      throw new TypeError(`${JSON.stringify(parameter)} cannot be part of a path`);
    return all + encodeURIComponent(parameter) + text;
  });
}
