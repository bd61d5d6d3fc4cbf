// Where the application begins in the browser.
import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './frame/app.tsx';

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no place for the application.');
createRoot(place).render(<App />);
