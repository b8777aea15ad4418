import type { ClassifiedModelHit, ModelEmail } from './model.js';

type EmailWithHits = ModelEmail & { readonly classified: readonly ClassifiedModelHit[] };

/** The links of the click map of a campaign; null if no email has a body any more. */
export function clickMap(emails: readonly EmailWithHits[], isPeople: (hit: ClassifiedModelHit) => boolean) {
  const kept = emails.filter(({ recipients }) => recipients.size > 0);
  const shown = kept.at(-1);
  if (!shown) return null;
  const links = shown.urls.map((url, position) => {
    const clicks = kept
      .filter(({ urls }) => urls[position] === url)
      .map(({ classified }) => classified.filter((hit) => hit.position === position))
      .filter(({ length }) => length > 0);
    const ofPeople = clicks.map((hits) => hits.filter(isPeople)).filter(({ length }) => length > 0);
    return {
      ...{ position, url, clicks: clicks.flat().length, people: ofPeople.flat().length },
      ...{ unique: clicks.length, uniquePeople: ofPeople.length },
    };
  });
  const all = links.reduce((sum, { people }) => sum + people, 0);
  return links.map((link) => ({
    ...link,
    share: all === 0 ? 0 : Math.round((link.people / all) * 10_000) / 10_000,
  }));
}
