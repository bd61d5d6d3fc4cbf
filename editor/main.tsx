// Starts the application in the browser.
import './styles/base.css';
import './styles/inter.css';
import { createRoot } from 'react-dom/client';
import { App } from './frame/app.tsx';
import { preloadPage } from './frame/pages.ts';
import { ignoreComposition } from './lib/composition.ts';
import { tolerateForeignChanges } from './lib/foreign-changes.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element with the id app.');
ignoreComposition();
tolerateForeignChanges();
// Waits for the page's code, because rendering without it would show a spinner.
await preloadPage(location.pathname);
createRoot(root).render(<App />);
