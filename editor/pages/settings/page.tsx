// Renders the settings: the list of parts, and the part that the URL names.
import { Link, useParams } from 'wouter';
import { NotFound } from '../../frame/not-found.tsx';
import { useSession } from '../../lib/session.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { PARTS, type SettingsPart } from './parts.ts';

const DEFAULT_PART = 'profile';

export function Page() {
  const { part: name = DEFAULT_PART } = useParams<{ part?: string }>();
  const { user } = useSession();
  const parts = PARTS.filter(({ group }) => group !== 'admin' || user.isAdmin);
  const current = parts.find(part => part.name === name);
  if (current === undefined) return <NotFound />;
  return (
    <div className={styles.settings}>
      <PartsNavigation parts={parts} currentName={name} />
      <div className={styles.part}>
        <current.Part />
      </div>
    </div>
  );
}

function PartsNavigation({
  parts,
  currentName,
}: {
  readonly parts: readonly SettingsPart[];
  readonly currentName: string;
}) {
  const groups = Map.groupBy(parts, ({ group }) => group);
  return (
    <nav className={styles.nav} aria-label={messages.title}>
      {[...groups].map(([group, groupParts]) => (
        <div key={group}>
          <p id={`group-${group}`}>{messages.groups[group]}</p>
          <ul aria-labelledby={`group-${group}`}>
            {groupParts.map(({ name }) => (
              <li key={name}>
                <Link href={`/settings/${name}`} aria-current={name === currentName ? 'page' : undefined}>
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
