import { useEffect, useRef, useState } from 'preact/hooks';
import { secondFactor } from '../second-factor-calls';
import type { Session } from '../session-calls';
import { Form, textOf } from './action';
import { Badge } from './badge';
import { Copyable } from './copy';
import { Dialog } from './dialog';
import { QrImage } from './qr-image';
import { ShownOnce } from './shown-once';

interface StepProps {
  readonly user: Session['user'];
  readonly close: () => void;
}

/** Turns the second factor of the user on and off. */
export function SecondFactor({ user }: { readonly user: Session['user'] }) {
  // Once the factor is on, the dialog still has the recovery codes to show.
  const [dialog, open] = useState<'set-up' | 'remove'>();
  const isOn = user.secondFactor;
  const off = user.hasPassword ? 'A stolen password alone is enough to sign in as you.' : 'Signing in takes no code.';
  return (
    <div class="stack">
      <p>
        <Badge state={isOn ? 'on' : 'off'} tone={isOn ? 'good' : 'warn'} />{' '}
        {isOn ? 'To sign in, you need a code from your authenticator app.' : off}
      </p>
      <div class="actions">
        <button type="button" class={isOn ? 'danger' : 'primary'} onClick={() => open(isOn ? 'remove' : 'set-up')}>
          {isOn ? 'Remove the second factor' : 'Set up a second factor'}
        </button>
      </div>
      {dialog === 'set-up' && <SetUp user={user} close={() => open(undefined)} />}
      {dialog === 'remove' && <Remove user={user} close={() => open(undefined)} />}
    </div>
  );
}

function Password({ user }: Pick<StepProps, 'user'>) {
  if (!user.hasPassword) return null;
  return (
    <label>
      Your password
      <input name="password" type="password" autocomplete="current-password" required />
    </label>
  );
}

function Code({ hint }: { readonly hint: string }) {
  const input = useRef<HTMLInputElement>(null);
  // The dialog was already open before this step.
  useEffect(() => input.current?.focus(), []);
  return (
    <label>
      Code <span class="hint">{hint}</span>
      <input ref={input} name="code" autocomplete="one-time-code" spellcheck={false} required />
    </label>
  );
}

/** Three steps: the password, the secret with a code of it, and the recovery codes. */
function SetUp({ user, close }: StepProps) {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string }>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodes codes={codes} close={close} />;
  if (begun === undefined) {
    const begin = async (fields: FormData): Promise<void> => {
      setBegun(await secondFactor.begin((fields.get('password') as string | null) ?? undefined));
    };
    return (
      <Dialog title="Set up a second factor" onClose={close}>
        <Form submit="Continue" run={begin}>
          <p class="muted">You need an authenticator app, such as one on your phone.</p>
          <Password user={user} />
        </Form>
      </Dialog>
    );
  }
  const confirm = async (fields: FormData): Promise<void> => {
    setCodes((await secondFactor.confirm(textOf(fields, 'code') ?? '')).recoveryCodes);
  };
  return (
    <Dialog title="Add the secret to your app" onClose={close}>
      <p>
        Scan this code with your authenticator app, type the secret below it, or use{' '}
        <a href={begun.uri}>a link that opens the app</a>. They are shown only now.
      </p>
      <QrImage text={begun.uri} label="QR code of the secret" />
      <Copyable text={begun.secret.match(/.{1,4}/g)!.join(' ')} label="the secret" />
      <Form submit="Turn on" run={confirm}>
        <Code hint="six digits that the app shows" />
      </Form>
    </Dialog>
  );
}

function RecoveryCodes({ codes, close }: { readonly codes: readonly string[]; readonly close: () => void }) {
  return (
    <Dialog title="Save these recovery codes" onClose={close}>
      <p role="status">The second factor is on, and your other sessions have ended.</p>
      <p>Each of these codes works once instead of your app, in case you lose it. They are shown only now.</p>
      <ShownOnce text={codes.join('\n')} label="the recovery codes" done="I have saved them" close={close} />
    </Dialog>
  );
}

function Remove({ user, close }: StepProps) {
  const remove = (fields: FormData): Promise<void> =>
    secondFactor.remove({
      code: textOf(fields, 'code') ?? '',
      password: (fields.get('password') as string | null) ?? undefined,
    });
  return (
    <Dialog title="Remove the second factor" onClose={close}>
      <Form submit="Remove" run={remove} onDone={close}>
        <p>After that, {user.hasPassword ? 'the password alone is enough to sign in' : 'signing in takes no code'}.</p>
        <Password user={user} />
        <Code hint="from your app, or a recovery code" />
      </Form>
    </Dialog>
  );
}
