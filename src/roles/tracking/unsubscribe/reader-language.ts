import { LANGUAGES, type Language } from './page-texts.js';

/** Real headers are far shorter. */
const MAX_LENGTH = 500;
const DEFAULT: Language = 'en';

/** The reader's favorite among our languages, by the Accept-Language header (RFC 9110, 12.5.4), or else English. */
export function readerLanguage(header: string | undefined): Language {
  if (header === undefined || header.length > MAX_LENGTH) return DEFAULT;
  let [best, bestWeight] = [DEFAULT, 0];
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = LANGUAGES.find((known) => known === tag.split('-')[0]);
    const weight = weightOf(parameters);
    if (language !== undefined && weight > bestWeight) [best, bestWeight] = [language, weight];
  }
  return best;
}

function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) return 1;
  const weight = Number(text);
  return weight >= 0 && weight <= 1 ? weight : 0;
}
