import { clickMap } from './click-maps.js';
import { classified, type ClassifiedModelHit, type ModelEmail, type OrganizationModel } from './model.js';

/* What the API shows about engagement, derived from the model. */

const HOUR = 3_600_000;
const COUNTED = ['delivered', 'deferred', 'bounced', 'complained', 'unsubscribed'] as const;

type EmailWithHits = ModelEmail & { readonly classified: readonly ClassifiedModelHit[] };

const isPeople = ({ final }: ClassifiedModelHit): boolean => final.class === 'human' || final.class === 'proxy';
const isStored = ({ frozen }: ClassifiedModelHit): boolean => !frozen;
const isOpen = ({ position }: ClassifiedModelHit): boolean => position === null;
const isClick = ({ position }: ClassifiedModelHit): boolean => position !== null;
const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100);

function count(hits: readonly ClassifiedModelHit[]): { opens: number; clicks: number } {
  return { opens: hits.filter(isOpen).length, clicks: hits.filter(isClick).length };
}

/** Totals, people and machines of some emails. */
function engagement(emails: readonly EmailWithHits[]) {
  const hits = emails.flatMap((email) => email.classified);
  const uniqueOpens = emails.filter((email) => email.classified.some((hit) => isOpen(hit) && isPeople(hit))).length;
  const uniqueClicks = emails.filter((email) => email.classified.some((hit) => isClick(hit) && isPeople(hit))).length;
  const machines = hits.filter((hit) => !isPeople(hit));
  const ofClass = (name: string) => machines.filter(({ final }) => final.class === name).length;
  return {
    ...count(hits),
    people: {
      ...{ ...count(hits.filter(isPeople)), uniqueOpens, uniqueClicks },
      ...{ openRate: percent(uniqueOpens, emails.length), clickRate: percent(uniqueClicks, emails.length) },
    },
    machines: {
      ...count(machines),
      byClass: {
        ...{ prefetch: ofClass('prefetch'), preview: ofClass('preview') },
        ...{ scanner: ofClass('scanner'), bot: ofClass('bot') },
      },
    },
  };
}

export function expectedFigures(model: OrganizationModel) {
  const emails = model.emails.map((email) => ({ ...email, classified: classified(email) }));
  const addresses = new Set(emails.flatMap(({ to }) => to));
  const campaigns = new Set(emails.flatMap(({ campaign }) => campaign ?? []));
  return {
    emails: Object.fromEntries(emails.map((email) => [email.id, emailFigures(email)])),
    campaigns: Object.fromEntries(
      [...campaigns].map((name) => [name, campaignFigures(model, name, ofCampaign(emails, name))]),
    ),
    contacts: Object.fromEntries([...addresses].map((address) => [address, contactFigures(model, address, emails)])),
    hours: hourFigures(emails),
    facts: factFigures(model, () => true),
    suppressions: Object.fromEntries(model.suppressed.map(([address, { entry }]) => [address, entry])),
  };
}

const ofCampaign = (emails: readonly EmailWithHits[], name: string) =>
  emails.filter(({ campaign }) => campaign === name);

function emailFigures(email: EmailWithHits) {
  const { urls, recipients, isErased, classified: hits } = email;
  const isGone = recipients.size === 0;
  const events = hits.filter(isStored).map(({ at, position, final: { class: kind, reason, certainty } }) => ({
    ...{ timestamp: new Date(at).toISOString(), type: position === null ? 'opened' : 'clicked' },
    ...{ class: kind, reason, certainty, ...(position !== null && { link: urls[position] }) },
  }));
  return {
    ...engagement([email]),
    links: isGone ? [] : linkFigures(urls.length, hits),
    states: Object.fromEntries(
      [...recipients].map(([address, { state, since }]) => [
        address,
        {
          state,
          ...(since > email.acceptedAt - 1_000_000 &&
            state !== 'suppressed' && { since: new Date(since).toISOString() }),
        },
      ]),
    ),
    events: isErased ? [] : sorted(events),
  };
}

const linkFigures = (links: number, hits: readonly ClassifiedModelHit[]) =>
  Array.from({ length: links }, (_, place) => hits.filter(({ position }) => position === place)).map((clicks) => ({
    clicks: clicks.length,
    people: clicks.filter(isPeople).length,
  }));

type IsOf = (campaign: string | null) => boolean;

function factOf({ facts }: OrganizationModel, wanted: string, isOf: IsOf): number {
  return facts.reduce((sum, { campaign, fact, by }) => sum + (isOf(campaign) && fact === wanted ? by : 0), 0);
}

const factFigures = (model: OrganizationModel, isOf: IsOf) =>
  Object.fromEntries(COUNTED.map((fact) => [fact, factOf(model, fact, isOf)]));

function campaignFigures(model: OrganizationModel, name: string, emails: readonly EmailWithHits[]) {
  const { opens, clicks, people, machines } = engagement(emails);
  const facts = factFigures(model, (campaign) => campaign === name);
  const urls = [...new Set(emails.flatMap((email) => email.urls))];
  const links = urls.map((url) => {
    const hits = emails.flatMap((email) =>
      email.classified.filter(({ position }) => position !== null && email.urls[position] === url),
    );
    return { url, clicks: hits.length, people: hits.filter(isPeople).length };
  });
  return {
    stats: {
      ...{ totalEmails: emails.length, totalOpens: opens, totalClicks: clicks, people, machines },
      ...{ openRate: percent(opens, emails.length), clickRate: percent(clicks, emails.length) },
      ...facts,
      suppressed: factOf(model, 'suppressed', (campaign) => campaign === name),
    },
    totals: {
      ...{ emails: emails.length, sent: sentOf(emails), opens, clicks },
      ...facts,
    },
    links: sorted(links.filter((link) => link.clicks > 0)),
    map: clickMap(emails, isPeople),
  };
}

const ratio = (part: number, whole: number): number => Math.round((part * 100) / whole) / 100;

/** An email of another provider was sent when it was accepted. */
const sentOf = (emails: readonly EmailWithHits[]): number => emails.length;

const score = (emails: number, opens: number, clicks: number): number =>
  Math.min(100, Math.round((60 * opens + 40 * clicks) / emails));

function contactFigures(model: OrganizationModel, address: string, all: readonly EmailWithHits[]) {
  const emails = all.filter(({ to }) => to.includes(address));
  const hits = emails.flatMap((email) => email.classified);
  const [{ opens, clicks }, people] = [count(hits), count(hits.filter(isPeople))];
  const reached = (fact: string) =>
    emails.filter(({ recipients }) => recipients.get(address)!.reached.has(fact)).length;
  return {
    ...{ totalEmails: emails.length, totalOpens: opens, totalClicks: clicks, status: model.address(address).status },
    ...{ bounces: reached('bounced'), complaints: reached('complained') },
    campaigns: [...new Set(emails.flatMap(({ campaign }) => campaign ?? []))].sort(),
    engagementScore: score(emails.length, opens, clicks),
    people: { ...people, engagementScore: score(emails.length, people.opens, people.clicks) },
    ...{ openRate: ratio(opens, emails.length), clickRate: ratio(clicks, emails.length) },
    lastActivity: new Date(
      Math.max(
        ...emails.map(({ acceptedAt, sentAt }) => Math.max(acceptedAt, sentAt ?? 0)),
        ...hits.map(({ at }) => at),
      ),
    ).toISOString(),
    hits: sorted(
      hits
        .filter(isStored)
        .map(({ at, position }) => [new Date(at).toISOString(), position === null ? 'opened' : 'clicked']),
    ),
  };
}

/** By the time of each hit; unique ones by the time of the first by a person. */
function hourFigures(emails: readonly EmailWithHits[]): Record<string, object> {
  const hours = new Map<string, EmailWithHits[]>();
  const hourOf = (at: number) => new Date(at - (at % HOUR)).toISOString();
  for (const hour of new Set(emails.flatMap((email) => email.classified.map(({ at }) => hourOf(at)))))
    hours.set(
      hour,
      emails.map((email) => ({ ...email, classified: email.classified.filter(({ at }) => hourOf(at) === hour) })),
    );
  const firsts = (hour: string, kind: typeof isOpen) =>
    emails.filter((email) => {
      const times = email.classified.filter((hit) => kind(hit) && isPeople(hit)).map(({ at }) => at);
      return times.length > 0 && hourOf(Math.min(...times)) === hour;
    }).length;
  return Object.fromEntries(
    [...hours].map(([hour, ofHour]) => {
      const { opens, clicks, people, machines } = engagement(ofHour);
      const unique = { uniqueOpens: firsts(hour, isOpen), uniqueClicks: firsts(hour, isClick) };
      return [
        hour,
        {
          ...{ opens, clicks, people: { opens: people.opens, clicks: people.clicks, ...unique } },
          machines: { opens: machines.opens, clicks: machines.clicks },
        },
      ];
    }),
  );
}

export function sorted<Item>(items: readonly Item[]): Item[] {
  return [...items].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
