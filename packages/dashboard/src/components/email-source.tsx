import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import type { Email } from '../types';
import { ContentFailure } from './content-failure';
import { Copyable } from './copy';
import { Loading } from './states';

/** The text part, for mail programs that show no HTML. */
export function TextPart({ id }: { readonly id: string }) {
  const text = useQuery({
    queryKey: ['email-text', id],
    queryFn: ({ signal }) => client.emails.preview(id, { part: 'text' }, { signal }),
    staleTime: Infinity,
  });
  if (text.isPending) return <Loading />;
  if (text.isLoadingError) return <ContentFailure error={text.error} retry={() => void text.refetch()} />;
  if (text.data.trim() === '') return <p class="muted">This email has no text.</p>;
  return <pre dir="auto">{text.data}</pre>;
}

/** The header fields that its sender chose. */
export function Headers({ email }: { readonly email: Email }) {
  const { from, replyTo, to, cc, subject, headers } = email;
  const fields: readonly (readonly [string, string | null])[] = [
    ['From', from],
    ['Reply-To', replyTo],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Subject', subject],
    ...Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)] as const),
  ];
  const text = fields.filter(([, value]) => value !== null && value !== '').map((field) => field.join(': '));
  return (
    <div class="stack">
      <Copyable text={text.join('\n')} label="the headers" />
      <p class="hint">
        Date, Message-ID, the headers to unsubscribe and the signatures are added when the email is sent. Blind copies
        are in no header.
      </p>
    </div>
  );
}
