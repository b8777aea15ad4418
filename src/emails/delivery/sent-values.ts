import type { StatementValues } from '../../platform/database/statement.js';
import type { MARK_SENT, SentEmail } from './delivery-statements.js';
import type { Lease } from './lease.js';

export function sentValues(emails: readonly (readonly [Lease, SentEmail])[]): StatementValues<typeof MARK_SENT> {
  const places = new Map<string, number>();
  const placeOf = (urls: readonly string[]): number => {
    const list = JSON.stringify(urls);
    const place = places.get(list) ?? places.size + 1;
    places.set(list, place);
    return place;
  };
  return {
    emailIds: emails.map(([{ emailId }]) => emailId),
    tokens: emails.map(([{ token }]) => token),
    providerIds: emails.map(([, { providerId }]) => providerId),
    responses: emails.map(([, { response = '' }]) => response),
    sentAts: emails.map(([, { sentAt }]) => sentAt),
    listPlaces: emails.map(([, { urls }]) => placeOf(urls)),
    urlLists: `[${[...places.keys()].join(',')}]`,
  };
}
