import { HeaderNames, type RequestHead } from '../../platform/http/fast-path/request-head.js';
import { StaticResponse } from '../../platform/http/fast-path/static-response.js';
import { LANGUAGES, type Language } from './unsubscribe/page-texts.js';
import { readerLanguage } from './unsubscribe/reader-language.js';
import { blockedLinkPage } from './unsubscribe/unsubscribe-page.js';

const ACCEPT_LANGUAGE = new HeaderNames(['accept-language']);

const RESPONSES = Object.fromEntries(
  LANGUAGES.map((language) => {
    const { body, headers } = blockedLinkPage(language);
    const lines = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
    return [language, new StaticResponse(403, lines, body.toString('latin1'))];
  }),
) as Readonly<Record<Language, StaticResponse>>;

/** The page for a link on the deny list, in the reader's language. It names neither the destination nor the sender. */
export function blockedLinkResponse(head: RequestHead): StaticResponse {
  return RESPONSES[readerLanguage(head.read(ACCEPT_LANGUAGE)[0])];
}
