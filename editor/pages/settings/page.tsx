// Renders the settings: the list of parts and the part in the address.
import { Link, useParams } from 'wouter';
import { NotFound } from '../../frame/not-found.tsx';
import { useSession } from '../../lib/session.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { PARTS, type Part } from './parts.ts';

const FIRST = 'profile';

export function Page() {
  const { part: name = FIRST } = useParams<{ part?: string }>();
  const { user } = useSession();
  const parts = PARTS.filter(({ group }) => group !== 'admin' || user.isAdmin);
  const shown = parts.find(part => part.name === name);
  if (shown === undefined) return <NotFound />;
  return (
    <div className={styles.settings}>
      <Parts parts={parts} shown={name} />
      <div className={styles.part}>
        <shown.Part />
      </div>
    </div>
  );
}

function Parts({ parts, shown }: { readonly parts: readonly Part[]; readonly shown: string }) {
  const groups = Map.groupBy(parts, ({ group }) => group);
  return (
    <nav className={styles.nav} aria-label={messages.title}>
      {[...groups].map(([group, inside]) => (
        <div key={group}>
          <p id={`group-${group}`}>{messages.groups[group]}</p>
          <ul aria-labelledby={`group-${group}`}>
            {inside.map(({ name }) => (
              <li key={name}>
                <Link href={`/settings/${name}`} aria-current={name === shown ? 'page' : undefined}>
                  {messages.parts[name]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
