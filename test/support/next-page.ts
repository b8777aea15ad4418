/** The path of the next page that a `Link` header names (RFC 8288); undefined on the last page. */
export function nextPage(headers: Headers): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}
