/** The host of an address as a browser reads it: in lower case, IP addresses and non-ASCII names in their one spelling. */
export function destinationHostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/, '') || undefined;
}

/** A host as an operator writes it, in the spelling of `destinationHostOf`. Undefined for anything else, such as a whole address. */
export function readHostName(text: string): string | undefined {
  const trimmed = text.trim();
  const isHostOnly = /^\[[0-9a-f:.]+\]$/i.test(trimmed) || !/[\s/?#\\@:]/.test(trimmed);
  return isHostOnly ? destinationHostOf(`http://${trimmed}/`) : undefined;
}
