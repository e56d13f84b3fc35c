import './connecting-cases.js';
import './ending-cases.js';
import './history-cases.js';
import './security-events-cases.js';
import './vending-cases.js';
