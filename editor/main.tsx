// Starts the application in the browser.
import './styles/base.css';
import './styles/inter.css';
import { createRoot } from 'react-dom/client';
import { App } from './frame/app.tsx';
import { preloadPage } from './frame/pages.ts';

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no place for the application.');
// The page is already loading: rendering before it arrives would show a spinner.
await preloadPage(location.pathname);
createRoot(place).render(<App />);
