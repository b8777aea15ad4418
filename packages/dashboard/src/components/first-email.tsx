import { Link } from 'wouter-preact';
import { useIsOwner } from '../session';
import { Copyable } from './copy';
import { Empty } from './states';

/** Shown to an organization without emails. The list shows the first email automatically. */
export function FirstEmail() {
  const isOwner = useIsOwner();
  const body = {
    from: 'Ada <ada@acme.example>',
    to: 'reader@example.com',
    subject: 'Hello from Mailbeacon',
    htmlContent: '<p>It works. <a href="https://example.com/?from=mail">Read more</a></p>',
    campaignId: 'First steps',
  };
  const curl = [
    `curl -sS ${location.origin}/api/send \\`,
    `  -H 'x-api-key: YOUR_KEY' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
  return (
    <Empty title="Send the first email">
      <p class="muted">
        {isOwner ? (
          <>
            Make an <Link href="/keys">API key</Link>
          </>
        ) : (
          'Ask an owner for an API key'
        )}
        , put it in place of YOUR_KEY and run this. The email appears here by itself.
      </p>
      <Copyable text={curl} label="the command" />
      <p role="status" class="muted">
        Waiting for the first email …
      </p>
    </Empty>
  );
}
