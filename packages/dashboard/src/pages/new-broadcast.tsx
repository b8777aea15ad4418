import { useState } from 'preact/hooks';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Dialog } from '../components/dialog';
import { useGo } from '../shown';
import { TemplateChoice } from '../components/template-choice';

const STARTER = `<!doctype html>
<html>
  <body>
    <p>Hello {{ name | default: "there" }},</p>
    <p>write your message here.</p>
    <p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
  </body>
</html>
`;

/** Creates a draft, which the service stores. */
export function NewBroadcast({ close }: { readonly close: () => void }) {
  const go = useGo();
  const [templateId, choose] = useState('');
  const create = async (fields: FormData): Promise<void> => {
    const subject = textOf(fields, 'subject');
    const { id } = await client.broadcasts.create({
      name: textOf(fields, 'name') ?? '',
      from: textOf(fields, 'from') ?? '',
      ...(subject !== undefined && { subject }),
      ...(templateId === '' ? { htmlContent: STARTER } : { templateId }),
    });
    go(`/broadcasts/${id}`);
  };
  return (
    <Dialog title="New broadcast" onClose={close}>
      <Form submit="Create draft" run={create}>
        <label>
          Name
          <input dir="auto" name="name" required placeholder="Spring sale" />
        </label>
        <label>
          From
          <input name="from" required placeholder="Ada <ada@acme.example>" />
        </label>
        <TemplateChoice label="Message" none="Write my own" chosen={templateId} choose={choose} />
        <label>
          <span>Subject {templateId !== '' && <span class="hint">empty: the subject of the template</span>}</span>
          <input dir="auto" name="subject" required={templateId === ''} placeholder="News for {{ name }}" />
        </label>
      </Form>
    </Dialog>
  );
}
