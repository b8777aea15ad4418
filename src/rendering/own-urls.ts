/** Recognizes the tracking URLs of this service. @param baseUrl its public URL, without a trailing slash */
export function ownUrlsOf(baseUrl: string): (url: string) => boolean {
  const own = `${baseUrl}/api/t/`.toLowerCase();
  return (url) => url.slice(0, own.length).toLowerCase() === own;
}
