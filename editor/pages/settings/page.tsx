// Renders the settings: the list of parts, and the part that the URL names.
import { Link, useParams } from 'wouter';
import { NotFound } from '../../frame/not-found.tsx';
import { useSession } from '../../lib/session.ts';
import { useMediaQuery } from '../../lib/use-visibility.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { PARTS, type SettingsPart } from './parts.ts';

const DEFAULT_PART = 'profile';
/** Windows without space for the navigation beside the part. */
const NARROW = '(max-width: 59.99rem)';

export function Page() {
  const { part: name = DEFAULT_PART } = useParams<{ part?: string }>();
  const { user } = useSession();
  const parts = PARTS.filter(({ group }) => group !== 'admin' || user.isAdmin);
  const current = parts.find(part => part.name === name);
  const isNarrow = useMediaQuery(NARROW);
  if (current === undefined) return <NotFound />;
  const navigation = <PartsNavigation parts={parts} currentName={name} />;
  return (
    <div className={styles.settings}>
      {isNarrow ? (
        // The key closes the list when a part is chosen.
        <details key={name} className={styles.menu}>
          <summary>{messages.allParts}</summary>
          {navigation}
        </details>
      ) : (
        navigation
      )}
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
