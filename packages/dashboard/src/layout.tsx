import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { ANNOUNCEMENTS } from './announce';
import { Failure } from './components/states';
import { keepFocus } from './focus';
import { followChanges, useIsLive } from './live';
import { sessions, type Session } from './session-calls';
import { shownName } from './shown-name';
import { chooseTheme, currentTheme, type Theme } from './theme';
import { mayGiveUp, startOver } from './unsaved';
import icon from './icon.svg';

const PAGES = [
  ['/', 'Overview'],
  ['/emails', 'Emails'],
  ['/campaigns', 'Campaigns'],
  ['/broadcasts', 'Broadcasts'],
  ['/templates', 'Templates'],
  ['/contacts', 'Contacts'],
  ['/suppressions', 'Suppressions'],
  ['/domains', 'Domains'],
  ['/providers', 'Providers'],
  ['/webhooks', 'Webhooks'],
  ['/keys', 'API keys'],
  ['/people', 'People'],
  ['/audit', 'Audit'],
  ['/settings', 'Settings'],
] as const;

interface LayoutProps {
  readonly session: Session;
  readonly children: ComponentChildren;
}

/** The navigation of every page. */
export function Layout({ session, children }: LayoutProps) {
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(followChanges, [session.user.id, session.organization.id]);
  useEffect(keepFocus, []);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const backTo = useBackTo();
  // Until the page names itself, and if it cannot be loaded. Otherwise it would have the title of the page before.
  useLayoutEffect(() => void (document.title = 'Mailbeacon'), [path]);
  useEffect(() => {
    setOpen(false);
    // A screen reader continues at the new page, not at the link that led to it.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    // The browser scrolls to where the reader was.
    if (backTo.current !== location.pathname) scrollTo(0, 0);
    backTo.current = undefined;
  }, [path]);
  const isCurrent = (to: string): boolean => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="sidebar" data-open={isOpen}>
        <Link class="brand" href="/">
          <img src={icon} alt="" /> Mailbeacon
        </Link>
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <nav id="navigation" aria-label="Pages">
          <ul>
            {PAGES.map(([to, name]) => (
              <li key={to}>
                <Link href={to} aria-current={isCurrent(to) ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Who session={session} />
      </div>
      <div {...ANNOUNCEMENTS} />
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** The path of the page to which the latest step through the history led. */
function useBackTo(): { current: string | undefined } {
  const backTo = useRef<string>();
  useEffect(() => {
    const note = (): void => void (backTo.current = location.pathname);
    addEventListener('popstate', note);
    return () => removeEventListener('popstate', note);
  }, []);
  return backTo;
}

function Who({ session }: { readonly session: Session }) {
  const signOut = useMutation({ mutationFn: () => sessions.signOut(), onSuccess: startOver });
  return (
    <div class="who">
      <Organizations session={session} />
      <span class="muted">
        {session.user.email} · {session.organization.role}
      </span>
      <label>
        <span class="visually-hidden">Colors</span>
        <select
          defaultValue={currentTheme()}
          onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}
        >
          <option value="system">System colors</option>
          <option value="light">Light colors</option>
          <option value="dark">Dark colors</option>
        </select>
      </label>
      <Liveness />
      <button
        type="button"
        class="small"
        aria-disabled={signOut.isPending}
        onClick={() => !signOut.isPending && mayGiveUp() && signOut.mutate()}
      >
        Sign out
      </button>
      {signOut.isError && <Failure error={signOut.error} />}
    </div>
  );
}

/** Shows whether pages update at once or by polling. */
function Liveness() {
  const isLive = useIsLive();
  return (
    <span class={isLive ? 'liveness live' : 'liveness'} role="status">
      {isLive ? 'Live' : 'Updates every 3 seconds'}
    </span>
  );
}

function Organizations({ session: { organization, organizations } }: { readonly session: Session }) {
  const choose = useMutation({ mutationFn: (id: string) => sessions.chooseOrganization(id), onSuccess: startOver });
  if (organizations.length === 1) return <strong dir="auto">{shownName(organization.name)}</strong>;
  const onChange = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }): void => {
    const { value } = currentTarget;
    // Names the organization of the page until another page is loaded, which can fail or be refused.
    currentTarget.value = organization.id;
    if (mayGiveUp()) choose.mutate(value);
  };
  return (
    <>
      <label>
        <span class="visually-hidden">Organization</span>
        <select value={organization.id} disabled={choose.isPending} onChange={onChange}>
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {shownName(name)}
            </option>
          ))}
        </select>
      </label>
      {choose.isError && <Failure error={choose.error} />}
    </>
  );
}
