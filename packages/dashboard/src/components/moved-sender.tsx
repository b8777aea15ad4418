import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { MAX_ITEMS } from '../list-page';
import { useSettled } from '../settled';
import type { Domain } from '../types';

interface MovedSenderProps {
  readonly from: string;
  readonly replyTo: string;
}

/**
 * Says that emails get an address of the platform if no verified domain covers their sender, or what keeps mail from
 * using the domain. Nothing while the domains are unknown or the sender is not complete.
 */
export function MovedSenderNotice({ from, replyTo }: MovedSenderProps) {
  const { data } = useQuery({
    queryKey: ['sender-domains'],
    queryFn: async ({ signal }) => (await client.domains.list({ limit: MAX_ITEMS }, { signal }).first()).items,
  });
  const domain = useSettled(/@([^\s@<>]+)>?\s*$/.exec(from)?.[1] ?? '');
  if (data === undefined || !domain.includes('.')) return null;
  const verified = data.filter((known) => covers(known, inALabels(domain)));
  if (verified.some(({ notice }) => notice === null)) return null;
  const [known] = verified;
  return (
    <p class="notice warn">
      {known === undefined
        ? `${domain} is not a verified domain of this organization: people see an address of the platform as the sender, and replies go to ${replyTo.trim() === '' ? 'your address' : 'the address in “Reply to”'}.`
        : `${known.shownDomain}: ${known.notice}.`}
    </p>
  );
}

/** A subdomain of a verified domain counts as verified. */
function covers({ domain, status }: Domain, sender: string): boolean {
  return status === 'verified' && (sender === domain || sender.endsWith(`.${domain}`));
}

/** In A-labels, as the API has domains; as it is if it is no domain. */
function inALabels(domain: string): string {
  const url = `https://${domain}`;
  return URL.canParse(url) ? new URL(url).hostname : domain;
}
