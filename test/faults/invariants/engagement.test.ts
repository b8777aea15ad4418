import type { Observations, StoredContact, StoredEvent } from '../observations.js';
import { reconcile } from '../reconciliation.js';
import { email, eventRows, baseline, withEmail, withStored } from '../baseline-observations.js';

const withEvents = (change: (events: readonly StoredEvent[]) => StoredEvent[]): Observations =>
  withStored({ events: change(baseline.stored.events) });
const eachEvent = (change: (event: StoredEvent) => Partial<StoredEvent>): Observations =>
  withEvents((events) => events.map((event) => ({ ...event, ...change(event) })));
const firstContact = (change: Partial<StoredContact>): Observations =>
  withStored({ contacts: [{ ...baseline.stored.contacts[0]!, ...change }, baseline.stored.contacts[1]!] });
const campaign = (change: object): Observations =>
  withStored({ campaigns: [{ ...baseline.stored.campaigns[0]!, ...change }] });

describe('L5, the invariant of events and counters,', () => {
  it.each<[what: string, observations: Observations, seen?: object]>([
    ['a missing event', withEvents((events) => events.slice(2)), { eventsLost: 1 }],
    ['an event without a hit', { ...baseline, hits: baseline.hits.slice(1) }, { eventsDuplicated: 1 }],
    ['a row for only the first contact', withEvents((events) => events.slice(0, 1).concat(events.slice(2)))],
    ['ordinals from 0', eachEvent(({ ordinal }) => ({ ordinal: ordinal - 1 }))],
    ['rows for other contacts', eachEvent(() => ({ contact: 'eve@example.com' }))],
    ['a click on another link', eachEvent(({ type }) => (type === 'clicked' ? { position: 2 } : {}))],
    ['a click on another destination', eachEvent(({ type }) => (type === 'clicked' ? { url: 'https://x.test' } : {}))],
    ['an open stored as a click', eachEvent(({ type }) => (type === 'opened' ? { type: 'clicked' } : {}))],
    ['a missing `sent` event', withEvents((events) => events.slice(0, 4))],
    ['a second `sent` event', withEvents((events) => [...events, ...eventRows({ id: 'other', type: 'sent' })])],
    ['too many opens of an email', withEmail({ opens: 2 })],
    ['too few clicks of an email', withEmail({ clicks: 0 })],
    ['uncounted clicks of a link', withEmail({ clicksByPosition: {} })],
    ['clicks counted for another link', withEmail({ clicksByPosition: { 0: 1 } })],
    ['too many emails of a contact', firstContact({ emails: 8 })],
    ['opens of a contact counted as clicks', firstContact({ opens: 0, clicks: 2 })],
    ['a contact without its campaign', firstContact({ campaigns: [] })],
    ['a contact without its email', firstContact({ emailIds: [] })],
    ['a contact that is not stored', withStored({ contacts: baseline.stored.contacts.slice(1) })],
    ['too many emails of a campaign', campaign({ emails: 6 })],
    ['too few opens of a campaign', campaign({ opens: 0 })],
    ['uncounted clicks of a link of a campaign', campaign({ links: { [email.urls[0]!]: 0, [email.urls[1]!]: 0 } })],
    ['a campaign without one of its links', campaign({ links: { [email.urls[1]!]: 1 } })],
    ['too few machine clicks of an email', withEmail({ machineClicks: 0 })],
    ['an email that counts as clicked by a person', withEmail({ personClicked: true })],
    ['a relabelled click with unchanged counters', eachEvent(() => ({ verdict: 0 }))],
    ['an uncounted class of machines', withEmail({ machines: {} })],
    ['machine clicks counted for another link', withEmail({ machineClicksByPosition: { 0: 1 } })],
    ['too many machine opens of a contact', firstContact({ machineOpens: 1 })],
    ['too few machine clicks of a campaign', campaign({ machineClicks: 0 })],
    ['a campaign that counts a class as another', campaign({ machines: { bot: 1 } })],
    ['too many unique clicks of a campaign', campaign({ uniqueClicks: 1 })],
    ['uncounted machine clicks of a link of a campaign', campaign({ machineLinks: {} })],
  ])('is violated by %s', (_what, observations, seen = {}) => {
    const reconciliation = reconcile(observations);
    expect(reconciliation).toMatchObject(seen);
    expect(reconciliation.violations).toContainEqual(expect.stringMatching(/^L5: /));
  });
});
