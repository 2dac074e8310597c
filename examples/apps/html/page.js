import { defineElements } from 'holdpoint/elements';
import './page.css';

// The thread is in the address, so that a reload, a second tab or another person opens the same one.
if (location.hash === '') location.hash = crypto.randomUUID();
document.querySelector('holdpoint-chat').setAttribute('thread-id', location.hash.slice(1));
defineElements();
