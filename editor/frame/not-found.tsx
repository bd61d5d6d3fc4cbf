// Renders the page for unknown URLs in the application.
import { ButtonLink } from '../kit/button.tsx';
import { usePageTitle } from '../kit/page-head.tsx';
import { messages } from '../messages.ts';
import styles from './message.module.css';

export function NotFound() {
  const { title, text, home } = messages.notFound;
  usePageTitle(title);
  return (
    <main id="main" tabIndex={-1} className={styles.message}>
      <h1>{title}</h1>
      <p>{text}</p>
      <ButtonLink href="/workflows" variant="primary">
        {home}
      </ButtonLink>
    </main>
  );
}
