export type Choice = 'unsubscribe' | 'resubscribe';

const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i;
const FIELD_NAME = /^content-disposition:[^\r\n]*;[ \t]*name="?([^"\r\n;]*)/im;

/**
 * The choice in the body of a POST. Mail programs send `List-Unsubscribe=One-Click` (RFC 8058, 3.1) in either form
 * encoding, some of them nothing. The page's button sends `choice`. Undefined for any other body: the form has a hidden
 * field, so that a robot that submits forms without pressing their button chooses nothing.
 * @param contentType an unknown type is read as a URL-encoded form
 */
export function submittedChoice(body: Buffer, contentType = ''): Choice | undefined {
  const text = body.toString('latin1').trim();
  if (text === '') return 'unsubscribe';
  const boundary = BOUNDARY.exec(contentType);
  const fields = boundary ? multipartFields(text, (boundary[1] ?? boundary[2])!) : urlEncodedFields(text);
  const sent = new Set(fields.map(([name, value]) => `${name.trim()}=${value.trim()}`.toLowerCase()));
  if (sent.has('list-unsubscribe=one-click') || sent.has('choice=unsubscribe')) return 'unsubscribe';
  return sent.has('choice=resubscribe') ? 'resubscribe' : undefined;
}

function urlEncodedFields(text: string): [string, string][] {
  return [...new URLSearchParams(text)];
}

/**
 * RFC 7578. Parts without a name, and the texts around the parts, are ignored. The example of RFC 8058, 8.3, lacks the
 * two hyphens before the boundary, and programs may copy it.
 */
function multipartFields(text: string, boundary: string): [string, string][] {
  const delimiter = text.includes(`--${boundary}`) ? `--${boundary}` : boundary;
  return text.split(delimiter).flatMap((part): [string, string][] => {
    const end = /\r?\n\r?\n/.exec(part);
    const header = part.slice(0, end?.index).replace(/\r?\n[ \t]+/g, ' ');
    const name = end && FIELD_NAME.exec(header)?.[1];
    return end && name ? [[name, part.slice(end.index + end[0].length)]] : [];
  });
}
