import { useState } from 'preact/hooks';
import { Action, Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copy';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { RoleChoice } from '../components/role-choice';
import { Empty } from '../components/states';
import { Time } from '../format';
import { people, type Person } from '../people-calls';
import { useIsOwner, useSession } from '../session';
import type { Role } from '../session-calls';

export default function People() {
  const [isInviting, setInviting] = useState(false);
  const [changed, change] = useState<Person>();
  const isOwner = useIsOwner();
  const me = useSession().data?.user.id;
  return (
    <Page
      title="People"
      hint="Who signs in to this organization."
      actions={
        isOwner && (
          <button type="button" class="primary" onClick={() => setInviting(true)}>
            Invite
          </button>
        )
      }
    >
      {isInviting && <Invite close={() => setInviting(false)} />}
      {changed && <ChangeRole person={changed} close={() => change(undefined)} />}
      <List<Person>
        name={['people']}
        load={(page, options) => people.list(page, options).first()}
        label="People"
        columns={columns(me, isOwner, change)}
        idOf={({ id }) => id}
        empty={<Empty title="Nobody yet" />}
      />
    </Page>
  );
}

function columns(
  me: string | undefined,
  isOwner: boolean,
  change: (person: Person) => void,
): readonly Column<Person>[] {
  const shown: readonly Column<Person>[] = [
    {
      name: 'Email',
      show: ({ id, email, isActive }) => (
        <>
          {email} {id === me && <Badge state="you" tone="info" />} {!isActive && <Badge state="invited" tone="warn" />}
        </>
      ),
    },
    { name: 'Role', show: ({ role }) => role },
    {
      name: 'Second factor',
      show: ({ secondFactor }) => <Badge state={secondFactor ? 'on' : 'off'} tone={secondFactor ? 'good' : 'plain'} />,
    },
    { name: 'Last seen', show: ({ lastSeenAt }) => <Time at={lastSeenAt} none="never" /> },
    { name: 'Joined', show: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  if (!isOwner) return shown;
  return [
    ...shown,
    {
      name: 'Actions',
      show: (person) => (
        <div class="actions">
          <button
            type="button"
            class="small"
            onClick={() => change(person)}
            aria-label={`Change role of ${person.email}`}
          >
            Change role
          </button>
          <Action
            label="Remove"
            about={person.email}
            scope="manage"
            isSmall
            isDangerous
            question={`${person.id === me ? 'You lose' : `${person.email} loses`} access to this organization within 5 seconds.`}
            run={() => people.remove(person.id)}
          />
        </div>
      ),
    },
  ];
}

function roleOf(fields: FormData): Role {
  return fields.get('role') as Role;
}

function ChangeRole({ person, close }: { readonly person: Person; readonly close: () => void }) {
  return (
    <Dialog title={`Role of ${person.email}`} onClose={close}>
      <Form submit="Change role" run={(fields) => people.changeRole(person.id, roleOf(fields))} onDone={close}>
        <RoleChoice role={person.role} />
      </Form>
    </Dialog>
  );
}

function Invite({ close }: { readonly close: () => void }) {
  const [invited, setInvited] = useState<{ readonly email: string; readonly mailed: boolean }>();
  const invite = async (fields: FormData): Promise<void> => {
    setInvited(await people.invite({ email: textOf(fields, 'email') ?? '', role: roleOf(fields) }));
  };
  return (
    <Dialog title="Invite somebody" onClose={close}>
      {invited === undefined ? (
        <Form submit="Send invitation" run={invite}>
          <label>
            Email address
            <input name="email" type="email" required autocomplete="off" placeholder="jane@acme.example" />
          </label>
          <RoleChoice role="member" />
        </Form>
      ) : (
        <>
          <Invited email={invited.email} mailed={invited.mailed} />
          <div class="actions">
            <button type="button" class="primary" onClick={close}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Nobody learns here whether the person has an account in another organization. */
function Invited({ email, mailed }: { readonly email: string; readonly mailed: boolean }) {
  if (mailed) return <p role="status">An invitation is on its way to {email}.</p>;
  return (
    <div class="stack" role="status">
      <p>{email} is in the organization, but got no mail about it.</p>
      <p class="muted">
        If they have no password yet, an operator prints a link that sets one with this command. It removes a password
        that they have:
      </p>
      <Copyable text={`npm run --silent cli -- user reset --email ${email}`} label="the command" />
    </div>
  );
}
