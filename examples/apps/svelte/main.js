import { mount } from 'svelte';
import { defineElements } from 'holdpoint/elements';
import 'holdpoint/elements.css';
import App from './App.svelte';
import './page.css';

defineElements();
mount(App, { target: document.getElementById('app') });
