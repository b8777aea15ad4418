import { client } from '../api';
import { Badge } from '../components/badge';
import { List, type Column } from '../components/list';
import { Card } from '../components/page';
import { formatCount } from '../format';
import type { WaitingRecipient } from '../types';
import { AddRecipients, type AddRecipientsProps } from './add-recipients';

interface BroadcastRecipientsProps extends AddRecipientsProps {
  readonly total: number;
  preview(address: string): void;
}

export function BroadcastRecipients({ id, total, preview, setUnadded }: BroadcastRecipientsProps) {
  return (
    <Card title={`3. Recipients${total > 0 ? `: ${formatCount(total)}` : ''}`}>
      <AddRecipients id={id} setUnadded={setUnadded} />
      {total > 0 && (
        // Scrolls by itself: in the page, further recipients would load above the button that sends.
        <div class="bounded tall">
          <List<WaitingRecipient>
            name={['recipients', id, total]}
            load={(page, options) => client.broadcasts.recipients(id, page, options).first()}
            label="Recipients"
            columns={columns(preview)}
            idOf={({ to }) => to}
            empty={<p>Every recipient has an email.</p>}
          />
        </div>
      )}
    </Card>
  );
}

function columns(preview: (address: string) => void): readonly Column<WaitingRecipient>[] {
  return [
    {
      name: 'Address',
      show: ({ to, suppressed }) => (
        <>
          {to} {suppressed && <Badge state="suppressed" />}
        </>
      ),
    },
    {
      name: 'Variables',
      show: ({ variables }) => (
        <span class="hint">
          {Object.entries(variables ?? {})
            .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(', ') || 'none'}
        </span>
      ),
    },
    {
      name: '',
      show: ({ to }) => (
        <button type="button" class="small" aria-label={`Preview as ${to}`} onClick={() => preview(to)}>
          Preview
        </button>
      ),
    },
  ];
}
