/** The path of the next page that a `Link` header names (RFC 8288); undefined on the last page. */
export function nextPage(headers: Headers): string | undefined {
  return pageOf(headers, 'next');
}

export function pageOf(headers: Headers, rel: string): string | undefined {
  const links = (headers.get('link') ?? '').split(', ').map((link) => /^<([^>]+)>; rel="([^"]+)"$/.exec(link));
  return links.find((link) => link?.[2] === rel)?.[1];
}
